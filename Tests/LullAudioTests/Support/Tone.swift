import Glibc
import LullAudio
import LullEngine

/// A sine of so many Hz, the level of its peak in dBFS.
struct Tone {
  let frequency: Double
  let level: Double

  init(_ frequency: Double, _ level: Double) { (self.frequency, self.level) = (frequency, level) }

  static func amplitude(_ level: Double) -> Float { Float(pow(10, level / 20)) }

  func sample(_ frame: Int, rate: Int) -> Float {
    Self.amplitude(level) * Float(sin(2 * .pi * frequency * Double(frame) / Double(rate)))
  }

  /// Interleaved frames, the same in all channels or in `only` one of them.
  func frames(seconds: Double, rate: Int, channels: Int = 2, only: Int? = nil) -> [Float] {
    var frames = [Float](repeating: 0, count: Int(seconds * Double(rate)) * channels)
    for frame in 0..<frames.count / channels {
      let sample = sample(frame, rate: rate)
      for channel in only.map({ $0...$0 }) ?? 0...channels - 1 { frames[frame * channels + channel] = sample }
    }
    return frames
  }
}

/// SplitMix64: the same numbers for the same seed.
struct Seeded: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// From -1 to 1.
  mutating func uniform() -> Float { Float(next() >> 40) / Float(1 << 23) - 1 }
}

extension Meter {
  /// Measures an array in calls of so many frames.
  mutating func measure(_ samples: [Float], channels: Int, block: Int = .max) -> [Tenth] {
    var tenths: [Tenth] = []
    unsafe samples.withUnsafeBufferPointer { buffer in
      var first = 0
      while first < buffer.count {
        let last = block < buffer.count ? min(buffer.count, first + block * channels) : buffer.count
        tenths += unsafe Array(process(buffer.extracting(first..<last)))
        first = last
      }
    }
    return tenths
  }
}
