import LullSystem
import LullWire
import TestSupport
import Testing

@testable import LullDaemon

/// Answers that are larger than any buffer.
@Suite(.bounded) struct LongAnswerTests {
  @Test func `20,000 lines reach a client that reads late, and one that asks meanwhile is answered`() throws {
    let crowd = try Crowd(programs: 80)
    try crowd.boss.say("status\nhello\n")
    for _ in 0..<20 { #expect(try crowd.other.ask("hello").isOK) }
    crowd.expectAll(try crowd.boss.response())
    #expect(try crowd.boss.response().last[.identity] == "operator")
  }

  @Test func `two clients get the whole answer at once`() throws {
    let crowd = try Crowd(programs: 16)
    try crowd.boss.say("lines\n")
    try crowd.other.say("lines\n")
    var (one, two) = (Peer.Response(), Peer.Response())
    var isDone = (one: false, two: false)
    while !isDone.one || !isDone.two {
      if !isDone.one { isDone.one = try crowd.boss.read(500, into: &one) }
      if !isDone.two { isDone.two = try crowd.other.read(500, into: &two) }
    }
    crowd.expectAll(one)
    crowd.expectAll(two)
  }

  @Test func `requests of a client that reads no answers cost bounded memory`() throws {
    let crowd = try Crowd(programs: 16)
    let before = try crowd.daemon.ownMemory()
    // 150 answers of 400 KB.
    try crowd.boss.say(String(repeating: "status\n", count: 150))
    for _ in 0..<200 { #expect(try crowd.other.ask("hello").isOK) }
    #expect(try crowd.daemon.ownMemory() - before < 4 << 20)
    for _ in 0..<3 { crowd.expectAll(try crowd.boss.response()) }
    let open = try crowd.daemon.openSockets()
    crowd.boss.close()
    try eventually("the connection is still open") { try !open.isSubset(of: crowd.daemon.openSockets()) }
    #expect(try crowd.other.ask("hello").isOK)
  }

  /// 60 KB are more than the daemon reads of one client in a turn.
  @Test(arguments: [0, 6_000])
  func `what a client asked for before it went away is carried out`(more: Int) throws {
    let crowd = try Crowd(programs: 2)
    let requests = String(repeating: "status\n", count: 20) + String(repeating: "remaining\n", count: more)
    try crowd.speakers[0].say(requests + "begin-task name=last\n")
    crowd.speakers[0].close()
    try eventually("the last request was not carried out") {
      try crowd.boss.ask("log").items(.entry).contains { $0[.what] == "task-began" }
    }
  }

  @Test func `a program that goes away in the middle is left out, and the count is right`() throws {
    let crowd = try Crowd(programs: 16)
    try crowd.boss.say("lines\n")
    #expect(try crowd.other.ask("hello").isOK)
    #expect(try crowd.speakers[15].ask("bye").isOK)
    let response = try crowd.boss.response()
    #expect(response.items(.line).count == 15 * Crowd.linesEach)
    #expect(response.last[.count] == "\(15 * Crowd.linesEach)")
  }

  @Test func `notices stand between the records, and all of both arrive`() throws {
    let crowd = try Crowd(programs: 16)
    #expect(try crowd.boss.ask("log last=0 follow").isOK)
    try crowd.boss.say("lines\n")
    #expect(try crowd.other.ask("hello").isOK)
    for _ in 0..<3 { #expect(try crowd.speakers[0].ask("begin-task name=x").isOK) }
    crowd.expectAll(try crowd.boss.response())
    for _ in 0..<3 { #expect(try crowd.boss.notice(.entry)[.what] == "task-began") }
  }

  @Test func `a follower that does not read is dropped, in the middle of an answer too`() throws {
    let crowd = try Crowd(programs: 16)
    #expect(try crowd.boss.ask("log last=0 follow").isOK)
    try crowd.boss.say("lines\n")
    #expect(try crowd.other.ask("hello").isOK)
    let open = try crowd.daemon.openSockets()
    try eventually("the follower was not dropped") {
      for _ in 0..<100 {
        let task = try #require(try crowd.speakers[0].ask("begin-task name=x").last[.task])
        try crowd.speakers[0].ask("end-task task=\(task)")
      }
      return try !open.isSubset(of: crowd.daemon.openSockets())
    }
  }

  @Test func `a client that has finished asking is answered`() throws {
    let daemon = try DaemonProcess(hasCgroups: false)
    let (here, there) = try UnixSocket.pair()
    let script = "printf 'hello\\nnonsense\\n' | nc -N -U '\(daemon.socket)'; echo end"
    var request = SpawnRequest(["sh", "-c", script])
    request.standardOutput = there.raw
    let child = try Child(request)
    there.close()
    let lines = Lines(of: here.raw)
    try lines.read { $0.starts(with: "ok pid=\(daemon.pid) ".utf8) }
    try lines.read { $0.starts(with: "error code=unknown-verb ".utf8) }
    try lines.read("end")
    try child.end()
  }
}

extension Peer {
  /// Reads `count` more records; true when the answer is complete.
  func read(_ count: Int, into response: inout Response) throws -> Bool {
    for _ in 0..<count {
      let message = try #require(try next(), "the daemon closed the connection")
      guard message.answer == .item else {
        response.last = message
        return true
      }
      response.items.append(message)
    }
    return false
  }
}
