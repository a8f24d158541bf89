internal import LullEngine
internal import LullSystem

/// The impulse responses of the meter's two bands: sincs in a Kaiser window, with the estimates of Kaiser
/// (1974) for its length and shape.
enum MeterDesign {
  /// The whole number by which `rate` comes nearest to `target`.
  static func decimation(rate: Int, target: Int) -> Int {
    let lower = max(1, rate / target)
    let distance = (
      abs(Double(rate) / Double(lower) - Double(target)),
      abs(Double(rate) / Double(lower + 1) - Double(target))
    )
    return distance.1 < distance.0 ? lower + 1 : lower
  }

  /// At a rate without room for a transition nothing is filtered.
  static func lowBand(rate: Double, policy: AudibilityPolicy) -> [Double] {
    let cutoff = (policy.passEdge + policy.stopEdge) / 2 / rate
    guard cutoff < 0.5 else { return [1] }
    let window = window(
      attenuation: policy.stopAttenuation + 1, width: (policy.stopEdge - policy.passEdge) / rate)
    let impulse = window.map { 2 * cutoff * sinc(2 * cutoff * $0.offset) * $0.weight }
    let sum = impulse.reduce(0, +)
    return impulse.map { $0 / sum }
  }

  /// The band-pass of the high band; nil for a rate that cannot carry it. Its lower transition is as wide as
  /// the upper one. The upper transition is left out if it would lie above half the rate.
  static func highBand(rate: Double, policy: AudibilityPolicy) -> [Double]? {
    guard policy.highPassEdge < rate / 2 else { return nil }
    let width = policy.highStopEdge - policy.highEndEdge
    let lower = (policy.highPassEdge - width / 2) / rate
    let upper = min((policy.highEndEdge + width / 2) / rate, 0.5)
    // The length is odd: a filter whose middle lies between two frames passes nothing at half the rate.
    return window(attenuation: policy.highStopAttenuation + 1, width: width / rate, isOdd: true).map {
      (2 * upper * sinc(2 * upper * $0.offset) - 2 * lower * sinc(2 * lower * $0.offset)) * $0.weight
    }
  }

  private static func window(
    attenuation: Double, width: Double, isOdd: Bool = false
  ) -> [(offset: Double, weight: Double)] {
    let least = Int(((attenuation - 7.95) / (14.36 * width)).rounded(.up)) + 1
    let count = isOdd ? least | 1 : least
    // Kaiser's shape for 50 dB and more.
    let beta = 0.1102 * (attenuation - 8.7)
    let centre = Double(count - 1) / 2
    return (0..<count).map { index in
      let offset = Double(index) - centre
      let position = offset / centre
      return (offset, bessel(beta * (1 - position * position).squareRoot()) / bessel(beta))
    }
  }

  private static func sinc(_ x: Double) -> Double {
    x == 0 ? 1 : Mathematics.sine(.pi * x) / (.pi * x)
  }

  /// The modified Bessel function of the first kind, order 0, by its series.
  private static func bessel(_ x: Double) -> Double {
    var (sum, term, index) = (1.0, 1.0, 1.0)
    while term > sum * 1e-17 {
      term *= (x / 2 / index) * (x / 2 / index)
      sum += term
      index += 1
    }
    return sum
  }
}
