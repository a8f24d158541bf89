import LullSystem
import LullWire
import TestSupport
import Testing

@testable import LullDaemon

/// The rules of docs/PROTOCOL.md about text lines and replies, on the built daemon.
@Suite(.bounded) struct ConversationTests {
  private let daemon: DaemonProcess

  init() throws { daemon = try DaemonProcess() }

  @Test(arguments: [
    "did ticket=1", "done ticket=1", "hold fd=1", "release line=1", "keepalive timeout=600", "keepalive",
    "fetch seconds=900", "fetched ticket=1 result=no-data",
    "begin-task name=x", "end-task task=1", "remaining", "present body=x", "schedule body=x in=1",
    "cancel all",
    "scheduled", "background", "foreground", "handover line=1 ticket=1", "ready ticket=1", "bye",
  ])
  func `a program's request needs register first`(line: String) throws {
    #expect(try daemon.connect().ask(line).code == .notRegistered)
  }

  @Test func `doctor tells what the daemon found`() throws {
    let checks = try daemon.connect().ask("doctor").items(.check)
    let names = [
      "freezer", "alarm-timer", "memory", "weights", "memory-pressure", "oom-score", "notifications",
      "session", "journal", "guard",
    ]
    #expect(checks.map { $0[.name] } == names)
    #expect(checks.first?[.result] == "yes")
    #expect(checks.first { $0[.name] == "session" }?[.result] == "yes")
  }
}
