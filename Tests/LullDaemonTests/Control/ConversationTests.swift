import LullGuard
import LullSystem
import LullWire
import TestSupport
import Testing

@testable import LullDaemon

/// The rules of docs/PROTOCOL.md about text lines and replies, on the built daemon.
@Suite(.bounded) struct ConversationTests {
  private let daemon: DaemonProcess

  init() throws { daemon = try DaemonProcess() }

  @Test func `hello tells who answers and who asks`() throws {
    let hello = try daemon.connect().ask("hello").last
    #expect(try hello.integer(.pid) == Int64(daemon.pid))
    #expect(hello[.version] == DaemonOptions.version)
    #expect(hello[.clockRate] == "1")
    #expect(hello[.suspender] == "cgroup")
    #expect(hello[.identity] == "operator")
    #expect(hello[.name] == nil)
  }

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

  @Test(arguments: [
    ("HELLO", Code.malformed), ("hello =x", .malformed), ("hello a=1 a=2", .malformed),
    ("wake name=\"x", .malformed), ("nonsense", .unknownVerb), ("why", .missingField),
    ("hello x=1", .badValue), ("log last=-1", .badValue), ("ended name=a status=1 signal=1", .badValue),
    ("why name=..", .badValue), ("register modes=voip", .missingField),
    ("register name=x modes=video", .badValue), ("schedule body=x at=1 in=1", .badValue),
  ])
  func `a line that breaks a rule is answered, and the connection stays open`(line: String, code: Code) throws
  {
    let peer = try daemon.connect()
    let response = try peer.ask(line)
    #expect(response.code == code)
    #expect(response.last[.message]?.isEmpty == false)
    #expect(try peer.ask("hello").isOK)
  }

  @Test func `bytes that are not UTF-8 are answered`() throws {
    let peer = try daemon.connect()
    try peer.say(Array("why name=".utf8) + [0xff, 0x0a])
    #expect(try peer.response().code == .notUTF8)
    #expect(try peer.ask("hello").isOK)
  }

  @Test func `a line that is too long is answered, and the connection is closed`() throws {
    let peer = try daemon.connect()
    let other = try daemon.connect()
    try peer.say(Array(repeating: UInt8(ascii: "x"), count: 5000))
    #expect(try peer.response().code == .tooLong)
    #expect(try peer.isEnded())
    #expect(try other.ask("hello").isOK)
  }

  @Test func `the longest line that is allowed is read`() throws {
    let peer = try daemon.connect()
    let padding = String(repeating: " ", count: 4096 - 6)
    #expect(try peer.ask("hello" + padding).isOK)
  }

  @Test func `half a line costs nobody anything`() throws {
    let slow = try daemon.connect()
    try slow.say("hel")
    let other = try daemon.connect()
    #expect(try other.ask("hello").isOK)
    try slow.say("lo\n")
    #expect(try slow.response().isOK)
  }

  @Test func `a client that goes away in the middle of a line is forgotten`() throws {
    let gone = try daemon.connect()
    try gone.say("regis")
    gone.close()
    #expect(try daemon.connect().ask("hello").isOK)
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

  @Test(arguments: [
    "status name=x", "lines name=x", "why name=x", "wake name=x", "suspend name=x", "foreground name=x",
    "background name=x", "quit name=x", "attach name=x", "signal name=x number=15",
  ])
  func `an unknown program is told apart`(line: String) throws {
    let response = try daemon.connect().ask(line)
    #expect(response.code == .noSuchProgram)
    let message = "no program \"x\"; see `lull status`, and `lull list` for what is installed"
    #expect(response.last[.message] == message)
  }

  @Test func `an unknown notification is told apart`() throws {
    let response = try daemon.connect().ask("answer notification=1 action=default")
    #expect(response.code == .noSuchNotification)
  }

  @Test func `doctor tells what the daemon found`() throws {
    let checks = try daemon.connect().ask("doctor").items(.check)
    let names = [
      "freezer", "alarm-timer", "guard", "journal", "memory-pressure", "oom-score", "notifications",
      "session", "memory", "weights",
    ]
    #expect(checks.map { $0[.name] } == names)
    #expect(checks.first?[.result] == "yes")
    #expect(checks.first { $0[.name] == "session" }?[.result] == "yes")
  }

  @Test func `log gives the last entries, and with follow the new ones as they come`() throws {
    let peer = try daemon.connect()
    let log = try peer.ask("log last=1 follow")
    #expect(log.items(.entry).map { $0[.what] } == ["started"])
    #expect(log.last[.count] == "1")
    #expect(try daemon.connect().run(["true"]).isOK)
    let entry = try peer.notice(.entry)
    #expect(entry[.what] == "registered")
    #expect(entry[.program] == "true")
    #expect(abs(try entry.number(.at) - Double(Clock.realtime()) / 1e9) < 60)
    #expect(try peer.laterNotice(.entry)[.what] == "state")
  }
}
