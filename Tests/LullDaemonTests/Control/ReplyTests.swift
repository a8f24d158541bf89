import LullEngine
import LullWire
import TestSupport
import Testing

@testable import LullDaemon

@Suite(.bounded) struct ReplyTests {
  private static let refusals: [(Refusal, Code)] = [
    (.nameInUse("phone"), .nameInUse), (.noSuchLine(LineID(1)), .noSuchLine),
    (.noSuchTask(TaskID(1)), .noSuchTask), (.noSuchNotification(NotificationID(1)), .noSuchNotification),
    (.noSuchAction("Decline"), .noSuchAction),
    (.keepAliveTooShort(.seconds(599), minimum: .seconds(600)), .keepaliveTooShort),
    (.tooManyPrograms(2048), .tooManyPrograms), (.tooManyLines(256), .tooManyLines),
    (.tooManyTasks(128), .tooManyTasks), (.tooManyNotifications(128), .tooManyNotifications),
    (.noBackgroundTime, .noBackgroundTime),
    (.repeatTooShort(.seconds(1), minimum: .seconds(60)), .badValue), (.wrongMode(.voip), .wrongMode),
    (.busy(.task), .busy), (.busy(nil), .busy), (.gone, .noSuchProgram),
  ]

  @Test(arguments: refusals)
  func `every refusal is one line with a code of the protocol, a word and facts`(refusal: Refusal, code: Code)
    throws
  {
    guard case .error(let found, let text) = Reply(refusal) else {
      Issue.record("not an error: \(refusal)")
      return
    }
    #expect(found == code)
    #expect(Explanation(text) != nil)
    #expect(!text.contains { $0.isNewline })
    let bytes = try Reply(refusal).message.encoded()
    #expect(bytes.count { $0 == UInt8(ascii: "\n") } == 1)
    #expect(try Message.parse(bytes[...])[.message] == text)
  }

  @Test func `an action's title with a line feed in it still makes one line`() throws {
    let bytes = try Reply(.noSuchAction("a\nb")).message.encoded()
    #expect(bytes.count { $0 == UInt8(ascii: "\n") } == 1)
  }

  @Test func `the limit and what was asked are facts`() {
    #expect(
      Reply(.keepAliveTooShort(.milliseconds(599_500), minimum: .seconds(600)))
        == .error(code: .keepaliveTooShort, message: "keepalive-too-short limit=600 seconds=599.5"))
    #expect(
      Reply(.tooManyLines(256)) == .error(code: .tooManyLines, message: "too-many-lines limit=256"))
  }

  @Test func `answers carry their fields`() throws {
    #expect(try text(.done) == "ok")
    #expect(try text(.registered(AppID(slot: 0, generation: 0), .inactive)) == "ok state=inactive")
    #expect(try text(.line(LineID(7))) == "ok line=7")
    #expect(try text(.task(TaskID(1), remaining: nil)) == "ok task=1")
    #expect(try text(.task(TaskID(1), remaining: .seconds(600))) == "ok task=1 remainingSeconds=600")
    #expect(try text(.remaining(nil, forTasks: nil)) == "ok")
    #expect(
      try text(.remaining(.milliseconds(1500), forTasks: .seconds(600))) == "ok seconds=1.5 taskSeconds=600")
    #expect(try text(.notification(NotificationID(3))) == "ok notification=3")
    #expect(try text(.count(2)) == "ok count=2")
  }

  private func text(_ answer: Engine.Answer) throws -> String {
    String(decoding: try Reply(answer).message.encoded().dropLast(), as: UTF8.self)
  }
}
