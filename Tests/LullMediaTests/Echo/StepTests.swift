import LullMedia
import TestSupport
import Testing

/// Devices that take less than a frame at a time.
@Suite(.bounded) struct StepTests {
  /// The output for half a second of a square wave when `step` samples are taken at a time, 1 ms after each
  /// packet and then in steps.
  private func heard(step: Int) throws -> [Int16] {
    var speaker = try MediaSession()
    var listener = try MediaSession()
    let frame = (0..<960).map { Int16($0 / 24 % 2 == 0 ? 8000 : -8000) }
    var (heard, part): ([Int16], [Int16]) = ([], [])
    for number in 0..<25 as Range<Int64> {
      let now = number * 20_000_000
      let datagram = try #require(try speaker.datagram(for: frame.span))
      #expect(listener.receive(datagram[...], at: now) == .media)
      for place in stride(from: 0, to: 960, by: step) {
        listener.play(into: &part, samples: step, at: now + 1_000_000 + Int64(place) * 1_000_000 / 48)
        #expect(part.count == step)
        heard += part
      }
    }
    return heard
  }

  @Test(arguments: [(960, 960), (480, 960), (240, 1200)])
  func `the shorter the steps, the closer is what is kept back to 25 ms, and all is heard`(
    step: Int, kept: Int
  ) throws {
    let sound = try heard(step: step)
    let begin = try #require(sound.firstIndex { abs($0) > 100 })
    // The encoder looks ahead by 6.5 ms.
    #expect((kept...kept + 480).contains(begin), "begins after \(begin) samples")
    #expect(
      !sound[(begin + 480)...].indices.contains { index in
        index + 96 < sound.count && sound[index..<index + 96].allSatisfy { abs($0) < 100 }
      }, "it has a hole")
  }
}
