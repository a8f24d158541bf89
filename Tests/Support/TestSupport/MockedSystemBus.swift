import LullSystem
import Testing

import enum LullSystem.ExitStatus

/// A system bus of the test's own, on which python-dbusmock plays a service: `logind`, `bluez5`,
/// `networkmanager`, or one of Tests/Support/Services.
package final class MockedSystemBus {
  private static let python = "/usr/bin/python3"
  private static let logind = "org.freedesktop.login1", root = "/org/freedesktop/login1"
  private static let networkManager = "org.freedesktop.NetworkManager"
  private static let mock = "org.freedesktop.DBus.Mock"
  private static let geoClue = "org.freedesktop.GeoClue2"
  private static let services = "\(#filePath.dropLast("TestSupport/MockedSystemBus.swift".count))Services"

  package let address: String
  private let folder: TemporaryDirectory
  private let bus: ConnectedChild
  private var service: ConnectedChild

  /// `template` is the service that is played.
  package init(_ template: String, parameters: String = "{}") throws {
    folder = try TemporaryDirectory()
    address = "unix:path=\(folder.path)/bus"
    let activation = "dbus-1/services"
    try Files.makeDirectories("\(folder.path)/\(activation)")
    let words = Self.command("geoclue", "{}").joined(separator: " ")
    _ = try folder.file(
      "\(activation)/geoclue.service", "[D-BUS Service]\nName=\(Self.geoClue)\nExec=\(words)\n")
    bus = try ConnectedChild(
      ["dbus-daemon", "--session", "--nofork", "--nosyslog", "--print-address", "--address=\(address)"],
      environment: ["DBUS_SYSTEM_BUS_ADDRESS=\(address)", "XDG_DATA_HOME=\(folder.path)"])
    _ = try bus.output.line()
    service = try Self.play(template, parameters, on: address)
  }

  deinit {
    for child in [service, bus] {
      try? child.signal(Signal.kill)
      _ = try? child.end()
    }
  }

  private static func play(
    _ template: String, _ parameters: String = "{}", on address: String
  ) throws -> ConnectedChild {
    let service = try ConnectedChild(
      command(template, parameters), environment: ["DBUS_SYSTEM_BUS_ADDRESS=\(address)"])
    let names = ["logind": logind, "networkmanager": networkManager, "geoclue": geoClue]
    let name = names[template] ?? "org.bluez"
    try eventually("no \(name)") { try busctl(address, ["status", name]).status == .exited(0) }
    return service
  }

  private static func command(_ template: String, _ parameters: String) -> [String] {
    let own = "\(services)/\(template).py"
    let place = Files.exists(own) ? own : template
    return [python, "-u", "-m", "dbusmock", "--system", "--template", place, "--parameters", parameters]
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

// GeoClue.
extension MockedSystemBus {
  /// GeoClue ends. The bus starts another one for the next client, as it does on a machine.
  package func endGeoClue() throws {
    try service.signal(Signal.kill)
    _ = try service.end()
  }

  /// The receiver of GeoClue finds a place.
  package func fix(_ latitude: Double, _ longitude: Double, at unixTime: Int64) throws {
    try mockGeoClue("Fix", "ddt", "--", "\(latitude)", "\(longitude)", "\(unixTime)")
  }

  /// The user gives or takes the permission.
  package func allowPlaces(_ isAllowed: Bool) throws {
    try mockGeoClue("Allow", "b", isAllowed ? "true" : "false")
  }

  /// Each client of GeoClue: its name, the accuracy, the distance and the time that it asks for.
  package func geoClueClients() throws -> String {
    String(try mockGeoClue("Asked").dropFirst(3).dropLast(2))
  }

  @discardableResult
  private func mockGeoClue(_ words: String...) throws -> String {
    try call([Self.geoClue, "/org/freedesktop/GeoClue2/Manager", Self.mock] + words)
  }
}

// BlueZ.
extension MockedSystemBus {
  /// Calls a method of Tests/Support/Services/bluez.py; returns the answer as busctl(1) prints it.
  @discardableResult
  package func mockBlueZ(_ words: String...) throws -> String {
    try call(["org.bluez", "/org/bluez/hci0", Self.mock] + words)
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

// NetworkManager.
extension MockedSystemBus {
  private static let network = "/org/freedesktop/NetworkManager"

  /// The property `Metered` appears, which the template leaves out.
  package func addMetered() throws {
    try call(
      Self.networkManager, Self.network, Self.mock, "AddProperty", "ssv", Self.networkManager, "Metered", "u",
      "0")
  }

  /// 1: the network is metered; 2: it is not.
  package func setMetered(_ value: Int) throws {
    try call(
      Self.networkManager, Self.network, "org.freedesktop.DBus.Properties", "Set", "ssv", Self.networkManager,
      "Metered", "u", "\(value)")
  }
}
