import LullSystem
import Testing

import enum LullSystem.ExitStatus

/// A system bus of the test's own, on which python-dbusmock plays a service: `logind` or `bluez5`.
package final class MockedSystemBus {
  private static let python = "/usr/bin/python3"
  private static let logind = "org.freedesktop.login1", root = "/org/freedesktop/login1"
  private static let mock = "org.freedesktop.DBus.Mock"

  package let address: String
  private let folder: TemporaryDirectory
  private let bus: ConnectedChild
  private var service: ConnectedChild

  /// `template` is the service that is played.
  package init(_ template: String) throws {
    folder = try TemporaryDirectory()
    address = "unix:path=\(folder.path)/bus"
    bus = try ConnectedChild(
      ["dbus-daemon", "--session", "--nofork", "--nosyslog", "--print-address", "--address=\(address)"])
    _ = try bus.output.line()
    service = try Self.play(template, on: address)
  }

  deinit {
    for child in [service, bus] {
      try? child.signal(Signal.kill)
      _ = try? child.end()
    }
  }

  private static func play(_ template: String, on address: String) throws -> ConnectedChild {
    let service = try ConnectedChild(
      [python, "-u", "-m", "dbusmock", "--system", "--template", template],
      environment: ["DBUS_SYSTEM_BUS_ADDRESS=\(address)"])
    let name = template == "logind" ? logind : "org.bluez"
    try eventually("no \(name)") { try busctl(address, ["status", name]).status == .exited(0) }
    return service
  }

  /// The service ends, and another one comes.
  package func playAnew(_ template: String) throws {
    try service.signal(Signal.kill)
    _ = try service.end()
    service = try Self.play(template, on: address)
  }

  /// Waits until somebody listens to signals by a rule that has these words.
  package func waitForListener(_ words: String) throws {
    let bus = "org.freedesktop.DBus"
    try eventually("nobody listens to \(words)") {
      try call(bus, "/org/freedesktop/DBus", "\(bus).Debug.Stats", "GetAllMatchRules").contains(words)
    }
  }

  /// Calls a method; returns the answer as busctl(1) prints it.
  @discardableResult
  package func call(_ words: String...) throws -> String { try call(words) }

  @discardableResult
  private func call(_ words: [String]) throws -> String {
    let (text, status) = try Self.busctl(address, ["call"] + words)
    try #require(status == .exited(0), "\(words): \(text)")
    return text
  }

  private static func busctl(
    _ address: String, _ words: [String]
  ) throws -> (text: String, status: ExitStatus?) {
    let child = try ConnectedChild(["busctl", "--address=\(address)"] + words)
    let text = try child.output.untilEnd()
    return (text, try child.end())
  }
}

// logind.
extension MockedSystemBus {
  /// A session of root begins; its name is `c1`.
  package func addSession() throws {
    try call(Self.logind, Self.root, Self.mock, "AddSession", "ssusb", "c1", "seat0", "0", "root", "true")
  }

  /// logind says that the session has begun.
  package func announceSession() throws {
    try emit("SessionNew", "so", "2", "s", "c1", "o", "\(Self.root)/session/c1")
  }

  /// Calls a method of the session.
  package func callSession(_ method: String, _ values: String...) throws {
    try call([Self.logind, "\(Self.root)/session/c1", "\(Self.logind).Session", method] + values)
  }

  /// The machine is about to sleep, or goes on.
  package func prepareForSleep(_ begins: Bool) throws {
    try emit("PrepareForSleep", "b", "1", "b", begins ? "true" : "false")
  }

  private func emit(_ signal: String, _ signature: String, _ values: String...) throws {
    let emitting = [Self.logind, Self.root, Self.mock, "EmitSignal", "sssav"]
    try call(emitting + ["\(Self.logind).Manager", signal, signature] + values)
  }

  /// The modes of the inhibitors, each once.
  package func inhibitors() throws -> [String] {
    let text = try call(Self.logind, Self.root, "\(Self.logind).Manager", "ListInhibitors")
    return ["block", "delay"].filter { text.contains("\"\($0)\"") }
  }

  /// Waits until logind has inhibitors of these modes and no other.
  package func wait(forInhibitors modes: String...) throws {
    try eventually("no inhibitors \(modes)") { try inhibitors() == modes }
  }

  package func waitForNoInhibitors() throws {
    try eventually("there are inhibitors") { try inhibitors().isEmpty }
  }
}
