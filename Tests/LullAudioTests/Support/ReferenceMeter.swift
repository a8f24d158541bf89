import Glibc

/// The meter as the definition reads: in doubles, sample by sample, without any short cut. It measures all
/// that it is told of at once.
struct ReferenceMeter {
  let seconds: [Bool]
  /// LB of each 100 ms, 50 ms apart; minus infinity for silence.
  let levels: [Double]

  init(_ samples: [Float], rate: Int, channels: Int) {
    let decimation = max(1, Int((Double(rate) / 16000).rounded()))
    let frames = samples.count / channels
    var halves = [Double](repeating: 0, count: frames * 20 / rate + 1)
    let taps = Self.lowPass(Double(rate))
    for channel in 0..<channels {
      var filters = [1.0, 3.0, 5.0].map {
        Section(index: $0, corner: 120, rate: Double(rate) / Double(decimation))
      }
      for frame in stride(from: 0, to: frames, by: decimation) {
        var sum = 0.0
        for tap in 0..<min(taps.count, frame + 1) {
          sum += taps[tap] * Double(samples[(frame - tap) * channels + channel])
        }
        for index in filters.indices { sum = filters[index].filter(sum) }
        halves[frame * 20 / rate] += sum * sum
      }
    }
    let outputs = Double(rate) / Double(10 * decimation)
    let complete = frames * 20 / rate
    levels = (0..<complete).map { half in
      -0.691 + 10 * log10(((half > 0 ? halves[half - 1] : 0) + halves[half]) / outputs)
    }
    var on = [false, false]
    var marks: [Bool] = []
    for (half, level) in levels.enumerated() {
      on[half % 2] = level >= (on[half % 2] ? -64 : -60)
      marks.append(on[half % 2])
    }
    seconds = (0..<complete / 20).map { second in
      (0...1).allSatisfy { grid in (0..<10).count { marks[20 * second + 2 * $0 + grid] } >= 2 }
    }
  }

  /// The low-pass of the definition, by the window method.
  static func lowPass(_ rate: Double) -> [Double] {
    guard 6800 / rate < 0.5 else { return [1] }
    let count = Int((73.05 / (14.36 * 3600 / rate)).rounded(.up)) + 1
    let centre = Double(count - 1) / 2
    let impulse = (0..<count).map { index in
      let x = Double(index) - centre
      let ideal = x == 0 ? 13600 / rate : sin(2 * .pi * 6800 / rate * x) / (.pi * x)
      return ideal * bessel(0.1102 * 72.3 * (1 - x * x / centre / centre).squareRoot())
    }
    return impulse.map { $0 / impulse.reduce(0, +) }
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
