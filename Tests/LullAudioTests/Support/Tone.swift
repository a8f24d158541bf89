import Glibc
import LullAudio
import LullEngine

/// A sine with its frequency in Hz and the level of its peak in dBFS.
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

extension Meter {
  /// Measures an array in calls of `block` frames.
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
