import Fuzzing
import Glibc

/// A sound that repeats, as a function of the frame: left and right. Levels are of the peak, in dBFS.
struct Sound: Sendable {
  let name: String
  /// Seconds after which it repeats.
  var period = 1.0
  let make: @Sendable (_ rate: Double) -> (Double) -> (Double, Double)

  init(_ name: String, period: Double = 1, make: @escaping @Sendable (Double) -> (Double) -> (Double, Double))
  {
    (self.name, self.period, self.make) = (name, period, make)
  }

  static func amplitude(_ level: Double) -> Double { pow(10, level / 20) }

  /// `frequency` is a whole number.
  static func sine(_ frequency: Double, _ level: Double) -> Sound {
    Sound("\(Int(frequency)) Hz at \(level)") { rate in
      {
        let sample = amplitude(level) * sin(2 * .pi * frequency * $0 / rate)
        return (sample, sample)
      }
    }
  }

  /// A tone whose loudness goes up and down as often as an audible tone would.
  static func modulated(_ frequency: Double, by slow: Double) -> Sound {
    Sound("\(Int(frequency)) Hz at 0, modulated by \(Int(slow)) Hz") { rate in
      let (tone, envelope) = (sine(frequency, 0).make(rate), sine(slow, 0).make(rate))
      return {
        let sample = tone($0).0 * (1 + envelope($0).0) / 2
        return (sample, sample)
      }
    }
  }

  static func constant(_ sample: Double) -> Sound {
    Sound("always \(sample)") { _ in { _ in (sample, sample) } }
  }

  static func noise(_ level: Double) -> Sound {
    Sound("white noise at \(level)") { _ in
      var random = SplitMix64(seed: 1)
      return { _ in (amplitude(level) * random.uniform(), amplitude(level) * random.uniform()) }
    }
  }

  /// Two steps of 16 bits at the most.
  static let dither = Sound("dither of 16 bits") { _ in
    var random = SplitMix64(seed: 3)
    func sample() -> Double { (random.uniform() + random.uniform()).rounded() / 32768 }
    return { _ in (sample(), sample()) }
  }

  /// One sample at full scale.
  static let click = Sound("a click") { _ in { $0 == 0 ? (1, 1) : (0, 0) } }

  var antiphase: Sound {
    Sound("\(name) in antiphase", period: period) { rate in
      let inner = make(rate)
      return { frame in
        let sample = inner(frame).0
        return (sample, -sample)
      }
    }
  }

  /// Interleaved frames of one period, mixed down to so many channels.
  func frames(rate: Int, channels: Int) -> [Float] {
    let generator = make(Double(rate))
    let count = Int((period * Double(rate)).rounded())
    var frames = [Float]()
    frames.reserveCapacity(count * channels)
    for frame in 0..<count {
      let (left, right) = generator(Double(frame))
      if channels == 1 {
        frames.append(Float((left + right) / 2))
      } else {
        frames.append(Float(left))
        frames.append(Float(right))
      }
    }
    return frames
  }
}
