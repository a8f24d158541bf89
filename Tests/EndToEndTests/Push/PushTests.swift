import LullSystem
import LullWire
import TestSupport
import Testing

import enum LullSystem.ExitStatus

/// The recipes of docs/PUSH.md: a client of a push service sleeps on its connection, and hands what comes to
/// another program, which is started for it.
@Suite(.bounded) struct PushTests {
  private let stage: Stage
  private var told: String { "\(stage.lull.sandbox.directory)/told" }

  init() throws { stage = try Stage() }

  /// Installs a program that has not run, and writes down for what it is started.
  private func installNews() throws {
    let script = "printf '%s %s' \"$LULL_LAUNCH_REASON\" \"$LULL_LAUNCH_PAYLOAD\" >\(told); exec sleep 1000"
    let words = ["install", "news", "--mode", "remote-notification", "--no-start", "--", "sh", "-c", script]
    #expect(try stage.lull.run(words).status == .exited(0))
  }

  private func waitForNews(_ text: String) throws {
    try eventually("news was told \((try? Kernel.text(told)) ?? "nothing")") {
      (try? Kernel.text(told)) == text
    }
  }

  @Test func `an MQTT subscriber that sleeps has another program started for a message`() throws {
    for (program, package) in [("mosquitto", "mosquitto"), ("mosquitto_sub", "mosquitto-clients")] {
      try Executables.require(program, package: package)
    }
    try installNews()
    let port = try stage.network.freePort()
    let nothing = try Files.openNull()
    let broker = try ConnectedChild(
      stage.network.prefix + ["sh", "-c", "exec mosquitto -p \(port) >/dev/null 2>&1"], input: nothing.raw)
    try eventually("the broker does not listen") { (try? stage.network.connect(to: port)) != nil }
    let lull = try Built.program("lull")
    let script = """
      mosquitto_sub -h 127.0.0.1 -p \(port) -t news | while IFS= read -r text; do
        printf %s "$text" | \(lull) push news --title "$text"
      done
      """
    try stage.run("subscriber", ["sh", "-c", script])
    try stage.journal.waitForSleep(of: "subscriber")
    let publish = ["mosquitto_pub", "-h", "127.0.0.1", "-p", "\(port)", "-t", "news", "-m", "it rains"]
    #expect(try ConnectedChild(stage.network.prefix + publish).end() == .exited(0))
    try waitForNews("push it rains")
    #expect(try stage.lull.run("notifications").output.contains("it rains"))
    try stage.journal.waitForSleep(of: "subscriber")
    try broker.signal(Signal.terminate)
    _ = try broker.end()
  }

  @Test func `a connector of UnifiedPush sleeps on the bus, and hands on what the distributor tells`() throws
  {
    try installNews()
    let bus = try Distributor(stage.lull.sandbox.directory)
    let path = "\(ProtocolPage.root)/Examples/python/unifiedpush.py"
    let binaries = try Built.program("lull").split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" }
    let options = [
      "--env", "DBUS_SESSION_BUS_ADDRESS=\(bus.address)", "--env", "PATH=\(binaries):/usr/bin:/bin",
    ]
    let words = ["/usr/bin/python3", path, "news", Distributor.name]
    let connector = try stage.run("connector", words, options: options)
    #expect(try connector.output.line() == "ready")
    try stage.journal.waitForSleep(of: "connector")
    try bus.tell("org.lull.news", "it rains")
    try waitForNews("push it rains")
    try stage.journal.waitForSleep(of: "connector")
  }

  @Test func `baresip's REGISTER carries the parameters of RFC 8599`() throws {
    let socket = try stage.network.inside { DescriptorBox(try Socket.bindDatagram(.loopback(port: 0))) }
    let port = try #require(try Socket.localAddress(socket.raw).port)
    let pushed = "pn-provider=webpush;pn-param=news;pn-prid=https%3A%2F%2Fpush.example.org%2Fx"
    let account = "regint=660;outbound=\"sip:127.0.0.1:\(port)\";regq=\"1.0;\(pushed)\""
    let phone = try Baresip(stage, account: account)
    try Deadline().wait(socket.raw, .readable, for: "a REGISTER")
    var room = ReceiveBuffer(capacity: 4096)
    guard case .bytes = try StandardStreams.read(socket.raw, into: &room) else {
      throw NothingCame(description: "no REGISTER")
    }
    let request = String(decoding: room.received, as: UTF8.self)
    #expect(request.hasPrefix("REGISTER ") && request.contains(";q=1.0;\(pushed)"), "\(request)")
    #expect(phone.port != port)
  }

  @Test func `what cannot be pushed is told in one line, and says what to do`() throws {
    try installNews()
    let long = String(repeating: "x", count: 4097)
    let words: [(script: String, complaint: String)] = [
      ("printf %s \(long) | $0 push news", "more than 4096 bytes"),
      ("$0 push nwes </dev/null", "did you mean \"news\""),
      ("$0 start news && $0 quit news && $0 push news </dev/null", "\"lull start news\" starts it"),
      (
        "$0 run --detach --name nap --mode remote-notification -- sleep 1000; echo x | $0 push nap",
        "a push without one wakes it"
      ),
    ]
    for (script, complaint) in words {
      let child = try ConnectedChild(
        ["sh", "-c", script, try Built.program("lull")], environment: stage.lull.environment)
      _ = try child.output.untilEnd()
      let errors = try child.errors.untilEnd()
      #expect(errors.contains(complaint), "\(script): \(errors)")
      #expect(errors.split(separator: "\n").count == 1, "\(errors)")
      #expect(try child.end() != .exited(0))
    }
  }
}

/// A session bus, on which python-dbusmock plays the distributor.
private final class Distributor {
  static let name = "org.unifiedpush.Distributor.mock"
  private static let object = "/org/unifiedpush/Distributor", interface = "org.unifiedpush.Distributor1"

  let address: String
  private var children: [ConnectedChild] = []

  init(_ folder: String) throws {
    try Executables.require("dbus-daemon", package: "dbus-daemon")
    address = "unix:path=\(folder)/session-bus"
    let bus = try ConnectedChild(
      ["dbus-daemon", "--session", "--nofork", "--nosyslog", "--print-address", "--address=\(address)"])
    _ = try bus.output.line()
    let mock = try ConnectedChild(
      ["/usr/bin/python3", "-u", "-m", "dbusmock", "--session", Self.name, Self.object, Self.interface],
      environment: ["DBUS_SESSION_BUS_ADDRESS=\(address)"])
    children = [mock, bus]
    try eventually("the distributor does not come") { try call(["status", Self.name]) == .exited(0) }
    let answer = "ret = ('REGISTRATION_SUCCEEDED', '')"
    let words = [Self.interface, "Register", "sss", "ss", answer]
    try #require(
      try call(["call", Self.name, Self.object, "org.freedesktop.DBus.Mock", "AddMethod", "sssss"] + words)
        == .exited(0))
  }

  deinit {
    for child in children {
      try? child.signal(Signal.kill)
      _ = try? child.end()
    }
  }

  /// The distributor has got a message for a connector.
  func tell(_ connector: String, _ text: String) throws {
    let bytes = text.utf8.map { "\($0)" }
    let object = "/org/unifiedpush/Connector", interface = "org.unifiedpush.Connector1"
    let words = ["call", connector, object, interface, "Message", "says", "news", "\(bytes.count)"]
    try #require(try call(words + bytes + ["1"]) == .exited(0))
  }

  private func call(_ words: [String]) throws -> ExitStatus? {
    let child = try ConnectedChild(["busctl", "--address=\(address)"] + words)
    _ = try child.output.untilEnd()
    return try child.end()
  }
}
