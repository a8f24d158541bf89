import Glibc
import LullAudio

/// A signal as a function of the frame: the same in all channels unless it says otherwise. Levels are of
/// the peak, in dBFS.
struct Signal {
  let name: String
  /// Samples of left and right, told of frames in order.
  let make: (_ rate: Int) -> (Int) -> (Float, Float)

  init(_ name: String, same make: @escaping (Int) -> (Int) -> Float) {
    self.init(name) { rate in
      let mono = make(rate)
      return { frame in
        let sample = mono(frame)
        return (sample, sample)
      }
    }
  }

  init(_ name: String, make: @escaping (_ rate: Int) -> (Int) -> (Float, Float)) {
    (self.name, self.make) = (name, make)
  }

  static func amplitude(_ level: Double) -> Float { Float(pow(10, level / 20)) }

  static func sine(_ frequency: Double, _ level: Double) -> Signal {
    Signal("\(frequency) Hz at \(level)") { rate in
      let amplitude = amplitude(level)
      return { amplitude * Float(sin(2 * .pi * frequency * Double($0) / Double(rate))) }
    }
  }

  static func constant(_ sample: Float) -> Signal { Signal("always \(sample)") { _ in { _ in sample } } }

  static func noise(_ level: Double, seed: UInt64 = 1) -> Signal {
    Signal("white noise at \(level)") { _ in
      var random = Seeded(seed)
      let amplitude = amplitude(level)
      return { _ in
        let (left, right) = (random.uniform(), random.uniform())
        return (amplitude * left, amplitude * right)
      }
    }
  }

  /// `of` for `length` seconds out of every `period`, from `start` on.
  static func bursts(_ of: Signal, length: Double, period: Double, start: Double = 0) -> Signal {
    Signal("\(of.name), \(length) s every \(period) s from \(start) s") { rate in
      let inner = of.make(rate)
      let (on, all) = (Int((length * Double(rate)).rounded()), Int((period * Double(rate)).rounded()))
      let first = Int((start * Double(rate)).rounded())
      return { frame in
        let samples = inner(frame)
        return frame >= first && (frame - first) % all < on ? samples : (0, 0)
      }
    }
  }

  /// Interleaved frames of the signal for the device's channels.
  func frames(_ range: Range<Int>, of generator: (Int) -> (Float, Float), channels: Int) -> [Float] {
    var stereo = [Float](repeating: 0, count: 2 * range.count)
    for frame in range {
      (stereo[2 * (frame - range.lowerBound)], stereo[2 * (frame - range.lowerBound) + 1]) = generator(frame)
    }
    guard channels != 2 else { return stereo }
    var mapped = [Float](repeating: 0, count: channels * range.count)
    unsafe ChannelMap(from: 2, to: channels).map(stereo, frames: range.count, into: &mapped)
    return mapped
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
  mutating func measure(_ samples: [Float], channels: Int, block: Int = .max) -> [Bool] {
    var seconds: [Bool] = []
    unsafe samples.withUnsafeBufferPointer { buffer in
      var first = 0
      while first < buffer.count {
        let last = block < buffer.count ? min(buffer.count, first + block * channels) : buffer.count
        seconds += unsafe Array(process(buffer.extracting(first..<last)))
        first = last
      }
    }
    return seconds
  }
}
