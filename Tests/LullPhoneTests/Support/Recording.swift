import Glibc
import LullSystem
import Testing

/// The sound of a WAV file of one channel, 48 kHz and 16 bits.
struct Recording {
  let samples: [Int16]

  init(_ path: String) throws {
    let bytes = try Files.read(path, limit: 1 << 24)
    try #require(bytes.count > 44 && Array(bytes[36..<40]) == Array("data".utf8), "no WAV file: \(path)")
    #expect(bytes[22] == 1 && bytes[24] == 0x80 && bytes[25] == 0xBB && bytes[34] == 16)
    samples = stride(from: 44, to: bytes.count - 1, by: 2).map {
      Int16(truncatingIfNeeded: Int(bytes[$0]) | Int(bytes[$0 + 1]) << 8)
    }
  }

  /// The amplitude of a tone in each tenth of a second, full scale at 1 (Goertzel's algorithm).
  func levels(of frequency: Double) -> [Double] {
    let step = 2 * cos(2 * .pi * frequency / 48_000)
    return stride(from: 0, to: samples.count - 4799, by: 4800).map { start in
      var (last, beforeLast) = (0.0, 0.0)
      for sample in samples[start..<start + 4800] {
        (last, beforeLast) = (Double(sample) / 32_768 + step * last - beforeLast, last)
      }
      let power = last * last + beforeLast * beforeLast - step * last * beforeLast
      return 2 * max(0, power).squareRoot() / 4800
    }
  }

  /// The longest time without a gap in which a tone has at least this amplitude, in tenths of a second.
  func longest(_ frequency: Double, atLeast level: Double) -> Int {
    var (longest, current) = (0, 0)
    for tenth in levels(of: frequency) {
      current = tenth >= level ? current + 1 : 0
      longest = max(longest, current)
    }
    return longest
  }
}
