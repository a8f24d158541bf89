import Fuzzing
import TestSupport
import Testing

@testable import LullWire

/// The messages between lulld and lull-audio, and between two of the latter: on the wire, in memory and in
/// docs/PROTOCOL-AUDIO.md.
@Suite(.bounded) struct AudioMessageTests {
  @Test func `what is written of a message is read back`() throws {
    for verb in MessageToAudio.Verb.allCases { try check(MessageToAudio.blank(verb)) }
    for verb in MessageFromAudio.Verb.allCases { try check(MessageFromAudio.blank(verb)) }
  }

  private func check<Described: DescribedMessage>(_ blank: Described) throws {
    let verb = blank.verb.rawValue
    let seed = SplitMix64.seed(for: "audio messages \(verb)")
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
    let page = try Page.betweenDaemonAndAudio.text()
    let cells = page.split(separator: "\n").filter { $0.hasPrefix("| `") }.map {
      $0.split(separator: " | ")[0]
    }
    func expect(_ fields: [FieldDescription], of verb: String) {
      let rows = cells.filter { $0.contains("`\(verb) ") || $0.contains("`\(verb)`") }
      #expect(!rows.isEmpty, "\(verb)")
      let written = rows.flatMap { $0.matches(of: /[ \[]([A-Za-z]+)(=|\]| )/).map { String($0.1) } }
      for field in fields { #expect(written.contains(field.key.rawValue), "\(verb) \(field.key)") }
    }
    for verb in MessageToAudio.Verb.allCases { expect(MessageToAudio.fields(of: verb), of: verb.rawValue) }
    for verb in MessageFromAudio.Verb.allCases {
      expect(MessageFromAudio.fields(of: verb), of: verb.rawValue)
    }
  }

  @Test(arguments: ["close", "close session=x", "close session=1 device=a", "began session=1", "hello"])
  func `what is no message is refused`(line: String) throws {
    let message = try Message.parse(line)
    #expect(throws: WireError.self) { try MessageToAudio.parse(message) }
  }
}
