internal import LullEngine
internal import LullSystem

/// The filters of the meter for one rate and number of channels (docs/AUDIBILITY.md, "Filter"): a
/// linear-phase low-pass that decimates by a whole number, and a Butterworth high-pass of order 6 at the
/// lower rate.
@safe struct MeterFilter: @unchecked Sendable {
  /// Frames per output of the low-pass.
  let decimation: Int
  /// Floats of a frame in the meter: channels, rounded up to a power of two.
  let lanes: Int
  /// Coefficients of the low-pass.
  let taps: Int
  /// The low-pass, each coefficient as often as it takes for four floats of interleaved frames, the oldest
  /// first. The gain of the high-pass is in it.
  let lowPass: UnsafePointer<SIMD4<Float>>
  /// Elements of `lowPass`.
  let vectors: Int
  let highPass: MeterHighPass
  /// The filters, which point to the coefficients beside them.
  static func design(
    rate: Int, channels: Int, policy: AudibilityPolicy
  ) -> (filter: MeterFilter, coefficients: MeterCoefficients) {
    let decimation = decimation(rate: rate, target: policy.measuringRate)
    let lanes = channels > 4 ? 8 : channels > 2 ? 4 : channels
    let highPass = MeterHighPass.design(corner: policy.lowCorner, rate: Double(rate) / Double(decimation))
    let impulse = lowPass(rate: Double(rate), policy: policy).map { Float($0 * highPass.gain) }
    let coefficients = MeterCoefficients(impulse, each: min(lanes, 4))
    let filter = unsafe MeterFilter(
      decimation: decimation, lanes: lanes, taps: coefficients.taps, lowPass: coefficients.vectors,
      vectors: coefficients.count, highPass: highPass.sections)
    return (filter, coefficients)
  }

  /// Filters the frames of one stretch, which stand after `taps - 1` others, into `MeterKernels.outputs`
  /// frames of as many floats as there are lanes, at least two.
  @inline(__always)
  func lowPass(_ frames: UnsafePointer<Float>, into outputs: UnsafeMutablePointer<Float>) {
    var sums = InlineArray<8, SIMD4<Float>>(repeating: SIMD4())
    for half in 0..<(lanes + 3) / 4 {
      unsafe MeterKernels.lowPass(
        frames + 4 &* half, stride: decimation &* lanes, step: Swift.max(lanes, 4), coefficients: lowPass,
        count: vectors, into: &sums)
      for index in 0..<MeterKernels.outputs {
        let sum = sums[index]
        let folded = sum.lowHalf + sum.highHalf
        switch lanes {
        case 1: unsafe outputs[2 &* index] = folded.x + folded.y
        case 2:
          unsafe UnsafeMutableRawPointer(outputs + 2 &* index).storeBytes(of: folded, as: SIMD2<Float>.self)
        default:
          unsafe UnsafeMutableRawPointer(outputs + index &* lanes + 4 &* half).storeBytes(
            of: sum, as: SIMD4<Float>.self)
        }
      }
    }
  }

  /// The whole number by which `rate` comes nearest to `target`.
  static func decimation(rate: Int, target: Int) -> Int {
    let lower = max(1, rate / target)
    let distance = (
      abs(Double(rate) / Double(lower) - Double(target)),
      abs(Double(rate) / Double(lower + 1) - Double(target))
    )
    return distance.1 < distance.0 ? lower + 1 : lower
  }

  /// A sinc in a Kaiser window, with the estimates of Kaiser (1974) for its length and shape. Where the
  /// rate leaves no room for a transition nothing is filtered.
  static func lowPass(rate: Double, policy: AudibilityPolicy) -> [Double] {
    let cutoff = (policy.passEdge + policy.stopEdge) / 2 / rate
    guard cutoff < 0.5 else { return [1] }
    let width = (policy.stopEdge - policy.passEdge) / rate
    let attenuation = policy.stopAttenuation + 1
    let count = Int(((attenuation - 7.95) / (14.36 * width)).rounded(.up)) + 1
    let beta = 0.1102 * (attenuation - 8.7)
    let centre = Double(count - 1) / 2
    let impulse = (0..<count).map { index in
      let offset = Double(index) - centre
      let position = offset / centre
      return sinc(2 * cutoff * offset) * bessel(beta * (1 - position * position).squareRoot())
    }
    let sum = impulse.reduce(0, +)
    return impulse.map { $0 / sum }
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
