import Fuzzing
import LullWire
import TestSupport
import Testing

/// Changes good text lines at random: a message that is still accepted must be read back as it was, and
/// nothing may crash.
@Suite(.bounded(seconds: 300)) struct MutationTests {
  private static let iterations = 200_000
  private static let interesting = Array("\"\\ =\r\n,-.0aZ\tu\u{0}\u{7F}".utf8) + [0x80, 0xC3, 0xE2, 0xFF]

  @Test func `no mutated line crashes, and what is accepted is read back`() throws {
    let seed = SplitMix64.seed(for: "mutations")
    var generator = SplitMix64(seed: seed)
    let corpus = try Self.corpus()
    var buffer: [UInt8] = []
    var accepted = 0
    var requests = 0
    for _ in 0..<Self.iterations {
      let bytes = Self.mutated(generator.pick(corpus), with: generator.pick(corpus), using: &generator)
      guard let message = try? Message.parse(bytes[...]) else { continue }
      accepted += 1
      buffer.removeAll(keepingCapacity: true)
      try message.encode(into: &buffer)
      let again = try Message.parse(buffer[...])
      guard again == message else {
        Issue.record("LULL_SEED=\(seed): \(String(decoding: bytes, as: UTF8.self))")
        return
      }
      guard let request = try? Request.parse(message) else { continue }
      requests += 1
      guard try Request.parse(request.message()) == request else {
        Issue.record("LULL_SEED=\(seed): \(request)")
        return
      }
    }
    #expect(accepted > Self.iterations / 20 && accepted < Self.iterations)
    #expect(requests > Self.iterations / 100 && requests < accepted)
  }

  @Test func `a mutated stream gives the same lines in pieces and whole`() throws {
    let seed = SplitMix64.seed(for: "mutated streams")
    var generator = SplitMix64(seed: seed)
    let corpus = try Self.corpus()
    for _ in 0..<500 {
      var bytes: [UInt8] = []
      for _ in 0..<20 {
        bytes += Self.mutated(generator.pick(corpus), with: generator.pick(corpus), using: &generator)
      }
      var whole = LineReader()
      whole.append(bytes[...])
      let expected = whole.all()
      var reader = LineReader()
      var lines: [LineReader.Line] = []
      var rest = bytes[...]
      while !rest.isEmpty {
        let piece = rest.prefix(1 + generator.below(64))
        rest = rest.dropFirst(piece.count)
        reader.append(piece)
        lines += reader.all()
      }
      try #require(lines == expected, "LULL_SEED=\(seed)")
    }
  }

  private static func corpus() throws -> [[UInt8]] {
    let notices = [
      "event deliver message=didBecomeActive ticket=4 launchReason=data line=2\n",
      "item kind=notification notification=5 program=a body=\"New \\\"call\\\"\\n\" action=\"\\u0041\"\n",
      "error code=bad-value message=\"fd=\\\"x\\\": \\u001bexpected é 🙂\"\n",
    ]
    return RequestTests.table.map { Array(($0.0 + "\n").utf8) } + notices.map { Array($0.utf8) }
  }

  private static func mutated(
    _ line: [UInt8], with other: [UInt8], using generator: inout SplitMix64
  ) -> [UInt8] {
    var bytes = line
    for _ in 0..<1 + generator.below(4) where !bytes.isEmpty {
      let place = generator.below(bytes.count)
      switch generator.below(7) {
      case 0: bytes[place] ^= 1 << UInt8(generator.below(8))
      case 1: bytes[place] = generator.pick(Self.interesting)
      case 2: bytes.insert(generator.pick(Self.interesting), at: place)
      case 3: bytes.remove(at: place)
      case 4: bytes.removeSubrange(place..<min(bytes.count, place + 1 + generator.below(8)))
      case 5: bytes.replaceSubrange(place..., with: other[generator.below(other.count)...])
      default:
        bytes.insert(contentsOf: repeatElement(bytes[place], count: 1 + generator.below(100)), at: place)
      }
    }
    return bytes
  }
}
