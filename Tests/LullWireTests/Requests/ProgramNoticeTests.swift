import Fuzzing
import TestSupport
import Testing

@testable import LullWire

@Suite(.bounded) struct ProgramNoticeTests {
  private static let names = Notice.allCases.filter { ProgramNotice.blank($0) != nil }

  @Test(arguments: names)
  func `what is written of a notice is read back, with fields that nobody knows`(name: Notice) throws {
    let seed = SplitMix64.seed(for: "notices \(name.rawValue)")
    var random = RandomFields(generator: SplitMix64(seed: seed))
    let blank = try #require(ProgramNotice.blank(name))
    var count = 0
    for _ in 0..<500 {
      guard let notice = try? blank.visited(by: &random) else { continue }
      let message = try Message.parse(notice.message.encoded()[...])
      #expect(message.notice == name)
      let later = message.adding(Field("unheardOf", "1"))
      try #require(try ProgramNotice(later) == notice, "LULL_SEED=\(seed)")
      count += 1
    }
    #expect(count >= 50)
  }

  @Test func `a notice to others is none to a program, and one without its fields is refused`() throws {
    #expect(try ProgramNotice(Message(event: .withdrawn).adding(.notification, 1)) == nil)
    #expect(try ProgramNotice(Message.parse("event unheard-of ticket=1")) == nil)
    #expect(try ProgramNotice(Message(event: .keeping)) == .keeping)
    for name in Self.names where name != .keeping {
      #expect(throws: WireError.self, "\(name)") { try ProgramNotice(Message(event: name)) }
    }
  }
}
