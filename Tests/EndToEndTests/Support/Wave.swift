import Glibc
import LullSystem

/// A file of 16-bit stereo sound at 48 kHz.
struct Wave {
  static let rate = 48_000
  /// Interleaved.
  private(set) var samples: [Int16] = []

  /// So many seconds of a sine at `level` dBFS; nil is silence.
  mutating func add(seconds: Double, level: Double? = nil, frequency: Double = 440) {
    let peak = level.map { pow(10, $0 / 20) * 32_767 } ?? 0
    for frame in 0..<Int(seconds * Double(Self.rate)) {
      let sample = Int16((peak * sin(2 * .pi * frequency * Double(frame) / Double(Self.rate))).rounded())
      samples += [sample, sample]
    }
  }

  /// Noise that never repeats, to tell every frame from every other.
  mutating func addNoise(seconds: Double, seed: UInt64 = 1) {
    var state = seed
    for _ in 0..<Int(seconds * Double(Self.rate)) * 2 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      samples.append(Int16(truncatingIfNeeded: Int64(bitPattern: state) >> 50))
    }
  }

  var data: [UInt8] {
    samples.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
  }

  /// RIFF WAVE, PCM.
  func write(to path: String) throws {
    let data = data
    func word(_ value: Int, _ bytes: Int) -> [UInt8] {
      (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    var file = Array("RIFF".utf8) + word(36 + data.count, 4) + Array("WAVEfmt ".utf8) + word(16, 4)
    file += word(1, 2) + word(2, 2) + word(Self.rate, 4) + word(Self.rate * 4, 4) + word(4, 2) + word(16, 2)
    file += Array("data".utf8) + word(data.count, 4) + data
    try Kernel.write(file, to: path)
  }
}
