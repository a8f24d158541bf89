import Fuzzing
import TestSupport
import Testing

@testable import LullWire

/// What a keeper and its clients say.
@Suite(.bounded) struct KeeperMessageTests {
  @Test func `what is written is read back`() throws {
    let seed = SplitMix64.seed(for: "keeper messages")
    var random = RandomFields(generator: SplitMix64(seed: seed))
    for verb in KeeperMessage.Verb.allCases {
      for _ in 0..<50 {
        guard let message = try? KeeperMessage.blank(verb).visited(by: &random) else { continue }
        let text = try String(decoding: message.message().encoded(), as: UTF8.self)
        let read = try KeeperMessage.parse(Message.parse(String(text.dropLast())))
        try #require(read == message, "LULL_SEED=\(seed)")
      }
    }
  }
}
