import Fuzzing
import TestSupport
import Testing

@testable import LullWire

/// The messages between lulld and its helpers, and those of a keeper: on the wire, in memory and on their
/// pages.
@Suite(.bounded) struct HelperMessageTests {
  @Test func `what is written of a message is read back`() throws {
    try checkReading(MessageToAudio.self)
    try checkReading(MessageFromAudio.self)
    try checkReading(MessageToNotify.self)
    try checkReading(MessageFromNotify.self)
    try checkReading(KeeperMessage.self)
  }

  private func checkReading<Kind: DescribedMessage>(_ kind: Kind.Type) throws {
    for verb in Kind.FirstWord.allCases {
      let seed = SplitMix64.seed(for: "\(kind) \(verb.rawValue)")
      var random = RandomFields(generator: SplitMix64(seed: seed))
      var count = 0
      for _ in 0..<500 {
        guard let made = try? Kind.blank(verb).visited(by: &random) else { continue }
        let message = try Message.parse(made.message().encoded()[...])
        try #require(try Kind.parse(message) == made, "LULL_SEED=\(seed)")
        count += 1
      }
      #expect(count >= 50, "\(kind) \(verb.rawValue)")
    }
  }

  @Test func `every message stands on its page, with the fields of its description`() throws {
    try checkPage(.betweenDaemonAndAudio, MessageToAudio.self)
    try checkPage(.betweenDaemonAndAudio, MessageFromAudio.self)
    try checkPage(.betweenDaemonAndNotify, MessageToNotify.self)
    try checkPage(.betweenDaemonAndNotify, MessageFromNotify.self)
  }

  private func checkPage<Kind: DescribedMessage>(_ page: Page, _ kind: Kind.Type) throws {
    let rows = try page.text().split(separator: "\n").filter { $0.hasPrefix("| `") }
    let cells = rows.map { $0.split(separator: " | ")[0] }
    for verb in Kind.FirstWord.allCases {
      let word = verb.rawValue
      let own = cells.filter { $0.contains("`\(word) ") || $0.contains("`\(word)`") }
      #expect(!own.isEmpty, "\(word)")
      let written = own.flatMap { $0.matches(of: /[ \[]([A-Za-z]+)(=|\]| )/).map { String($0.1) } }
      for field in Kind.fields(of: verb) {
        #expect(written.contains(field.key.rawValue), "\(word) \(field.key)")
      }
    }
  }

  @Test(arguments: ["close", "close session=x", "close session=1 device=a", "began session=1", "hello"])
  func `what is no message to lull-audio is refused`(line: String) throws {
    let message = try Message.parse(line)
    #expect(throws: WireError.self) { try MessageToAudio.parse(message) }
  }

  @Test(arguments: ["withdraw", "show notification=1 program=a", "hold", "placed notification=1", "hello"])
  func `what is no message to lull-notify is refused`(line: String) throws {
    let message = try Message.parse(line)
    #expect(throws: WireError.self) { try MessageToNotify.parse(message) }
  }
}
