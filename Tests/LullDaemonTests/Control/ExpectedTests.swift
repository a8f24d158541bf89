import LullSystem
import LullWire
import TestSupport
import Testing

@testable import LullDaemon

@Suite(.bounded) struct ExpectedTests {
  private func fail(_ code: Int32) throws(SystemError) -> Int { throw SystemError(code: code, call: "call") }

  @Test func `what had ended meanwhile is no news, and anything else is noted`() {
    let journal = Journal()
    #expect(journal.ignoring(.closed, try fail(32)) == nil)
    #expect(journal.ignoring([.closed, .ended], try fail(3)) == nil)
    #expect(journal.ignoring(.removed, try fail(2)) == nil)
    #expect(journal.numbers(last: 9).isEmpty)
    #expect(journal.ignoring(.closed, try fail(12)) == nil)
    let noted = journal.numbers(last: 9).compactMap { journal[$0] }
    #expect(noted.map(\.what) == ["unexpected"])
    #expect(noted[0].detail?.hasPrefix("call") == true)
    #expect(journal.ignoring([], 7) == 7)
  }

  @Test func `a failure that repeats is noted once, and another one beside it`() {
    let journal = Journal()
    for _ in 0..<3 {
      journal.ignoring([], try fail(12))
      journal.ignoring(.inUse, try fail(16))
      journal.ignoring(.inUse, try fail(5))
    }
    let noted = journal.numbers(last: 9).compactMap { journal[$0]?.detail }
    #expect(noted == ["\(SystemError(code: 12, call: "call"))", "\(SystemError(code: 5, call: "call"))"])
  }
}

@Suite(.bounded) struct PermissionTests {
  private static let own: [String] = [
    "hello", "status", "status name=phone", "lines name=phone", "why name=phone", "wake name=phone",
    "background", "foreground name=phone", "quit name=phone now", "remaining", "bye", "doctor",
  ]
  private static let others: [String] = [
    "status name=other", "lines name=other", "why name=other", "wake name=other", "suspend name=other",
    "quit name=other", "background name=other", "log", "notifications", "run", "attach name=phone",
    "signal name=phone number=15", "started", "ended name=phone", "command arguments=1", "upgrade",
    "purge name=phone",
  ]

  private func request(_ text: String) throws -> Request {
    try Request.parse(Message.parse(Array("\(text)\n".utf8)[...]))
  }

  @Test(arguments: own)
  func `a process of a program asks for its own program`(text: String) throws {
    #expect(try request(text).mayBeAsked(byProgram: "phone"))
  }

  @Test(arguments: others)
  func `a process of a program asks for no other one, and for nothing that is the operator's`(text: String)
    throws
  {
    #expect(try !request(text).mayBeAsked(byProgram: "phone"))
  }
}
