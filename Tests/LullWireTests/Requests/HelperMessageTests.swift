import Fuzzing
import TestSupport
import Testing

@testable import LullWire

/// The messages between lulld and its helpers, and those of a keeper.
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
