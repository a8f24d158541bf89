import Glibc
import LullSystem
import TestSupport
import Testing

/// The sound of a WAV file of one channel, 48 kHz and 16 bits.
struct Recording {
  let samples: [Int16]

  init(_ path: String) throws {
    let bytes = try Files.read(path, limit: 1 << 24)
    try #require(bytes.count > 44 && Array(bytes[36..<40]) == Array("data".utf8), "no WAV file: \(path)")
    #expect(bytes[22] == 1 && bytes[24] == 0x80 && bytes[25] == 0xBB && bytes[34] == 16)
    self.init(bytes)
  }

  private init(_ bytes: [UInt8]) {
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

  /// The number of tenths of a second in which a tone has at least this amplitude.
  func heard(_ frequency: Double, atLeast level: Double) -> Int {
    levels(of: frequency).count { $0 >= level }
  }

  /// The same of a file that is still being written, or is not there yet.
  static func heard(_ frequency: Double, atLeast level: Double, in path: String) -> Int {
    guard let bytes = try? Files.read(path, limit: 1 << 24), bytes.count > 44 else { return 0 }
    return Recording(bytes).heard(frequency, atLeast: level)
  }

  /// Waits until a second and a half of a tone stands in the file: a busy machine sends less than is due.
  static func wait(for frequency: Double, atLeast level: Double, in path: String) throws {
    try eventually("no tone of \(frequency) Hz in \(path)") {
      heard(frequency, atLeast: level, in: path) >= 15
    }
  }
}
