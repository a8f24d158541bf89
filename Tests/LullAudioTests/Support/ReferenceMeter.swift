import Glibc
import LullEngine

/// The meter exactly as it is defined: in doubles, sample by sample, without any short cut. It measures all
/// samples at once.
struct ReferenceMeter {
  let tenths: [Tenth]
  /// The level LB of the low band of each 100 ms, 50 ms apart; minus infinity for silence.
  let levels: [Double]
  /// The levels of the high band.
  let highLevels: [Double]

  init(_ samples: [Float], rate: Int, channels: Int) {
    let decimation = max(1, Int((Double(rate) / 16000).rounded()))
    let frames = samples.count / channels
    var low = [Double](repeating: 0, count: frames * 20 / rate + 1)
    var high = low
    let (lowTaps, highTaps) = (Self.lowBand(Double(rate)), Self.highBand(Double(rate)))
    for channel in 0..<channels {
      let own = (0..<frames).map { Double(samples[$0 * channels + channel]) }
      var filters = [1.0, 3.0, 5.0].map {
        Section(index: $0, corner: 120, rate: Double(rate) / Double(decimation))
      }
      for frame in stride(from: 0, to: frames, by: decimation) {
        var sum = Self.filter(own, taps: lowTaps, frame: frame)
        for index in filters.indices { sum = filters[index].filter(sum) }
        low[frame * 20 / rate] += sum * sum
      }
      // Every third frame would do but for tones that have their zeros there.
      for frame in highTaps.isEmpty ? 0..<0 : 0..<frames {
        let sum = Self.filter(own, taps: highTaps, frame: frame)
        high[frame * 20 / rate] += sum * sum / Double(decimation)
      }
    }
    let outputs = Double(rate) / Double(10 * decimation)
    func levels(_ halves: [Double]) -> [Double] {
      (0..<frames * 20 / rate).map { half in
        -0.691 + 10 * log10(((half > 0 ? halves[half - 1] : 0) + halves[half]) / outputs)
      }
    }
    (self.levels, highLevels) = (levels(low), levels(high))
    tenths = Self.tenths(self.levels, highLevels)
  }

  private static func tenths(_ low: [Double], _ high: [Double]) -> [Tenth] {
    var on = [false, false]
    var marks: [Bool] = []
    for (half, level) in low.enumerated() {
      let wasOn = on[half % 2]
      on[half % 2] = level >= (wasOn ? -64 : -60) || high[half] >= (wasOn ? -49 : -45)
      marks.append(on[half % 2])
    }
    return (0..<marks.count / 2).map { Tenth(even: marks[2 * $0 + 1], odd: marks[2 * $0]) }
  }

  private static func filter(_ samples: [Double], taps: [Double], frame: Int) -> Double {
    var sum = 0.0
    for tap in 0..<min(taps.count, frame + 1) { sum += taps[tap] * samples[frame - tap] }
    return sum
  }

  /// The low-pass of the definition, by the window method.
  static func lowBand(_ rate: Double) -> [Double] {
    guard 6800 / rate < 0.5 else { return [1] }
    let count = Int((73.05 / (14.36 * 3600 / rate)).rounded(.up)) + 1
    let impulse = windowed(count, beta: 0.1102 * 72.3) { ideal(6800 / rate, $0) }
    return impulse.map { $0 / impulse.reduce(0, +) }
  }

  /// The band-pass of the definition: a low-pass to 15.5 kHz less a low-pass to 5.5 kHz.
  static func highBand(_ rate: Double) -> [Double] {
    guard rate > 14_000 else { return [] }
    let count = Int((53.05 / (14.36 * 3000 / rate)).rounded(.up)) + 1
    return windowed(count | 1, beta: 0.1102 * 52.3) {
      ideal(min(15_500 / rate, 0.5), $0) - ideal(5500 / rate, $0)
    }
  }

  private static func ideal(_ cutoff: Double, _ x: Double) -> Double {
    x == 0 ? 2 * cutoff : sin(2 * .pi * cutoff * x) / (.pi * x)
  }

  private static func windowed(_ count: Int, beta: Double, _ ideal: (Double) -> Double) -> [Double] {
    let centre = Double(count - 1) / 2
    return (0..<count).map { index in
      let x = Double(index) - centre
      return ideal(x) * bessel(beta * (1 - x * x / centre / centre).squareRoot()) / bessel(beta)
    }
  }

  private static func bessel(_ x: Double) -> Double {
    (0..<40).reduce(0) { $0 + pow(pow(x / 2, Double($1)) / tgamma(Double($1) + 1), 2) }
  }

  /// A high-pass section of order 2 in direct form 1 (R. Bristow-Johnson's cookbook).
  private struct Section {
    let (b0, b1, a1, a2): (Double, Double, Double, Double)
    var (x1, x2, y1, y2) = (0.0, 0.0, 0.0, 0.0)

    init(index: Double, corner: Double, rate: Double) {
      let angle = 2 * Double.pi * corner / rate
      let alpha = sin(angle) * sin(.pi * index / 12)
      b0 = (1 + cos(angle)) / 2 / (1 + alpha)
      b1 = -2 * b0
      a1 = -2 * cos(angle) / (1 + alpha)
      a2 = (1 - alpha) / (1 + alpha)
    }

    mutating func filter(_ x: Double) -> Double {
      let y = b0 * x + b1 * x1 + b0 * x2 - a1 * y1 - a2 * y2
      (x2, x1, y2, y1) = (x1, x, y1, y)
      return y
    }
  }
}
