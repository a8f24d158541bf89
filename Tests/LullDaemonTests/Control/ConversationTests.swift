import LullSystem
import LullWire
import TestSupport
import Testing

@testable import LullDaemon

/// The rules of docs/PROTOCOL.md about text lines and replies, on the built daemon.
@Suite(.bounded) struct ConversationTests {
  private let daemon: DaemonProcess

  init() throws { daemon = try DaemonProcess() }

  @Test func `requests are answered in their order, each once`() throws {
    let peer = try daemon.connect()
    try peer.say("hello\nnonsense\nstatus\n\n\r\n  hello  \r\nwhy\nhello\n")
    let responses = try peer.responses(6)
    #expect(responses.map(\.isOK) == [true, false, true, true, false, true])
    #expect(responses[1].code == .unknownVerb)
    #expect(responses[2].items.count == 1)
    #expect(responses[2].last[.count] == "1")
    #expect(responses[4].code == .missingField)
  }

  @Test func `half a line costs nobody anything`() throws {
    let slow = try daemon.connect()
    try slow.say("hel")
    let other = try daemon.connect()
    #expect(try other.ask("hello").isOK)
    try slow.say("lo\n")
    #expect(try slow.response().isOK)
  }

  @Test func `a client that asks much and reads late loses nothing`() throws {
    let peer = try daemon.connect()
    for _ in 0..<10 { try peer.say(String(repeating: "hello\n", count: 100)) }
    #expect(try peer.responses(1000).allSatisfy(\.isOK))
  }

  @Test(arguments: [
    "did ticket=1", "done ticket=1", "hold fd=1", "release line=1", "keepalive timeout=600", "keepalive",
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
