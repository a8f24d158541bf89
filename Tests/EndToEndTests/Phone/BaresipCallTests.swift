import LullSystem
import LullWire
import TestSupport
import Testing

import enum LullSystem.ExitStatus

/// `lull-baresip` beside a baresip that sleeps: calls of sipp are notifications.
@Suite(.bounded) struct BaresipCallTests {
  private let desktop: Desktop
  private let stage: Stage

  init() throws {
    // A click is the program's own action.
    desktop = try Desktop(configuration: "[calls]\n  appname = \"calls\"\n  action_name = \"Answer\"\n")
    stage = try Stage(environment: desktop.environment + [Python.library])
  }

  private static let program = ["/usr/bin/python3", "-B", "-m", "lull.baresip", "--ctrl"]

  /// A baresip, and the program that shows its calls; both sleep.
  private func startPhone() throws -> Baresip {
    let control = try stage.network.freePort()
    let baresip = try Baresip(stage, control: control)
    try stage.run("calls", Self.program + ["127.0.0.1:\(control)"])
    try stage.journal.wait("line-held", of: "calls")
    try waitForSleep(baresip)
    return baresip
  }

  private func waitForSleep(_ baresip: Baresip) throws {
    for name in ["calls", baresip.name] { try stage.journal.waitUntilAsleep(name, stage.lull) }
  }

  @Test func `a call is shown, a click takes it, sound goes both ways, and all sleep again`() throws {
    let baresip = try startPhone()
    let call = try Sipp(stage, baresip, transport: .udp, milliseconds: 3000, sound: true)
    try desktop.wait(forShown: 1)
    try desktop.control("action", "0")
    try call.waitForAnswer()
    // sipp sends nothing but what it was sent.
    let log = try baresip.log()
    #expect(log.contains("incoming rtp for 'audio' established"), "\(log)")
    try desktop.wait(forShown: 0)
    try waitForSleep(baresip)
    #expect(try stage.lull.order("notifications").all(.notification).isEmpty)
    #expect(try stage.lull.item(.keepalive, of: "calls")[.timeoutSeconds] == "600")
  }

  @Test func `a call whose notification is closed is declined, and one that is missed is told`() throws {
    let baresip = try startPhone()
    let declined = try Sipp(stage, baresip, transport: .tcp)
    try desktop.wait(forShown: 1)
    try desktop.control("close")
    #expect(try declined.end() != .exited(0))
    try waitForSleep(baresip)
    #expect(try stage.lull.order("notifications").all(.notification).isEmpty)
    let missed = try Sipp(stage, baresip, transport: .udp, givesUp: true)
    try desktop.wait(forShown: 1)
    try missed.waitForAnswer()
    try eventually("no missed call") {
      try stage.lull.order("notifications").all(.notification).first?[.title] == "Missed call"
    }
    try waitForSleep(baresip)
  }

  @Test func `without ctrl_tcp one line says what baresip needs`() throws {
    let port = try stage.network.freePort()
    let child = try ConnectedChild(
      stage.network.prefix + Self.program + ["127.0.0.1:\(port)"], environment: stage.lull.environment)
    let errors = try child.errors.untilEnd()
    let words = "is baresip up, with module_app ctrl_tcp.so in its config?"
    #expect(errors == "lull-baresip: 127.0.0.1:\(port): Connection refused: \(words)\n")
    #expect(try child.end() == .exited(1))
  }
}
