import Fuzzing
import TestSupport
import Testing

@testable import LullWire

/// The messages between lulld and lull-notify: on the wire, in memory and in docs/PROTOCOL-NOTIFY.md.
@Suite(.bounded) struct NotifyMessageTests {
  @Test func `what is written of a message is read back`() throws {
    for verb in MessageToNotify.Verb.allCases { try check(MessageToNotify.blank(verb)) }
    for verb in MessageFromNotify.Verb.allCases { try check(MessageFromNotify.blank(verb)) }
  }

  private func check<Described: DescribedMessage>(_ blank: Described) throws {
    let verb = blank.verb.rawValue
    let seed = SplitMix64.seed(for: "notify messages \(verb)")
    var random = RandomFields(generator: SplitMix64(seed: seed))
    var count = 0
    for _ in 0..<500 {
      guard let made = try? blank.visited(by: &random) else { continue }
      let message = try Message.parse(made.message().encoded()[...])
      try #require(try Described.parse(message) == made, "LULL_SEED=\(seed)")
      count += 1
    }
    #expect(count >= 50, "\(verb)")
  }

  @Test func `every message stands on the page, with the fields of its description`() throws {
    let rows = try Page.betweenDaemonAndNotify.text().split(separator: "\n").filter { $0.hasPrefix("| `") }
    func expect(_ fields: [FieldDescription], of verb: String) {
      let own = rows.filter { $0.contains("`\(verb) ") || $0.contains("`\(verb)`") }
      #expect(!own.isEmpty, "\(verb)")
      let written = own.flatMap { $0.matches(of: /[ \[]([A-Za-z]+)(=|\]| )/).map { String($0.1) } }
      for field in fields { #expect(written.contains(field.key.rawValue), "\(verb) \(field.key)") }
    }
    for verb in MessageToNotify.Verb.allCases { expect(MessageToNotify.fields(of: verb), of: verb.rawValue) }
    for verb in MessageFromNotify.Verb.allCases {
      expect(MessageFromNotify.fields(of: verb), of: verb.rawValue)
    }
  }

  @Test(arguments: ["withdraw", "show notification=1 program=a", "hold", "placed notification=1", "hello"])
  func `what is no message is refused`(line: String) throws {
    let message = try Message.parse(line)
    #expect(throws: WireError.self) { try MessageToNotify.parse(message) }
  }
}
