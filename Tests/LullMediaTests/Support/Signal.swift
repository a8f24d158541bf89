import Glibc

/// Sound for tests, and measures of it.
enum Signal {
  static let rate = 48_000.0

  /// A sine of this amplitude (full scale is 1), from the sample `start` on.
  static func sine(_ frequency: Double, amplitude: Double, start: Int = 0, count: Int) -> [Int16] {
    (start..<start + count).map { index in
      Int16(32_767 * amplitude * sin(2 * .pi * frequency * Double(index) / rate))
    }
  }

  /// The amplitude of one frequency in the samples, full scale at 1 (Goertzel's algorithm).
  static func amplitude(of frequency: Double, in samples: some Collection<Int16>) -> Double {
    let step = 2 * cos(2 * .pi * frequency / rate)
    var (last, beforeLast) = (0.0, 0.0)
    for sample in samples { (last, beforeLast) = (Double(sample) / 32_768 + step * last - beforeLast, last) }
    let power = last * last + beforeLast * beforeLast - step * last * beforeLast
    return 2 * power.squareRoot() / Double(samples.count)
  }

  /// The root of the mean square, full scale at 1.
  static func level(_ samples: some Collection<Int16>) -> Double {
    let sum = samples.reduce(0.0) { $0 + Double($1) * Double($1) / (32_768 * 32_768) }
    return (sum / Double(samples.count)).squareRoot()
  }
}
