internal import LullEngine

/// The filters of the meter for one rate and number of channels (docs/AUDIBILITY.md, "Low band" and "High
/// band"): two linear-phase filters that decimate by a whole number, and a Butterworth high-pass of order 6
/// at the lower rate for the low band.
struct MeterFilter: Sendable {
  /// Frames per output.
  let decimation: Int
  /// The floats of a frame: the channels, rounded up to a power of two.
  let lanes: Int
  /// The earlier frames that an output of the filters depends on.
  let history: Int
  /// The low-pass, with the gain of the high-pass.
  private let low: MeterCoefficients
  private let high: MeterCoefficients?
  let highPass: MeterHighPass

  init(rate: Int, channels: Int, policy: AudibilityPolicy) {
    decimation = MeterDesign.decimation(rate: rate, target: policy.measuringRate)
    lanes = channels > 4 ? 8 : channels > 2 ? 4 : channels
    let highPass = MeterHighPass.design(corner: policy.lowCorner, rate: Double(rate) / Double(decimation))
    self.highPass = highPass.sections
    let each = min(lanes, 4)
    let lowBand = MeterDesign.lowBand(rate: Double(rate), policy: policy).map { Float($0 * highPass.gain) }
    low = MeterCoefficients(lowBand, each: each)
    high = MeterDesign.highBand(rate: Double(rate), policy: policy).map {
      MeterCoefficients($0.map { Float($0) }, each: each)
    }
    history = max(low.taps, (high?.taps ?? 0) + decimation - 1) - 1
  }

  var stretch: Int { decimation * MeterKernels.outputs }

  /// The low band of a stretch before its high-pass. The stretch stands after `history` frames. The result is
  /// `MeterKernels.outputs` frames of as many floats as there are lanes, at least two.
  @inline(__always)
  func lowBand(_ frames: UnsafePointer<Float>, into outputs: UnsafeMutablePointer<Float>) {
    for half in 0..<(lanes + 3) / 4 {
      var sums = InlineArray<8, SIMD4<Float>>(repeating: SIMD4())
      unsafe filter(frames, coefficients: low, half: half, early: 0, into: &sums)
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

  /// The energy of the high band of some outputs of a stretch, which stands after `history` frames.
  ///
  /// All outputs of a stretch meet a tone at a multiple of half the lower rate at the same phase, perhaps at
  /// its zeros. `turn`, which each stretch increases by one, moves the outputs.
  func highEnergy(_ frames: UnsafePointer<Float>, outputs: Range<Int>, turn: Int) -> Double {
    guard let high else { return 0 }
    var energy: Float = 0
    for half in 0..<(lanes + 3) / 4 {
      var sums = InlineArray<8, SIMD4<Float>>(repeating: SIMD4())
      unsafe filter(frames, coefficients: high, half: half, early: turn % decimation, into: &sums)
      for index in outputs {
        let sum = sums[index]
        let folded = sum.lowHalf + sum.highHalf
        switch lanes {
        case 1: energy += (folded.x + folded.y) * (folded.x + folded.y)
        case 2: energy += (folded * folded).sum()
        default: energy += (sum * sum).sum()
        }
      }
    }
    return Double(energy)
  }

  /// The outputs of a stretch, `early` frames before the last ones possible, each as four sums.
  @inline(__always)
  private func filter(
    _ frames: UnsafePointer<Float>, coefficients: MeterCoefficients, half: Int, early: Int,
    into sums: inout InlineArray<8, SIMD4<Float>>
  ) {
    let first = history + 1 - coefficients.taps - early
    unsafe MeterKernels.filter(
      frames + first &* lanes + 4 &* half, stride: decimation &* lanes, step: max(lanes, 4),
      coefficients: coefficients.vectors, count: coefficients.count, into: &sums)
  }
}

/// The coefficients of a filter as the inner loop takes them, in memory that the copies of a meter share.
@safe private final class MeterCoefficients: @unchecked Sendable {
  /// Each coefficient as often as it takes for four floats of interleaved frames, the oldest first.
  let vectors: UnsafePointer<SIMD4<Float>>
  let count: Int
  /// With the zeros in front that fill the vectors.
  let taps: Int

  /// Repeats each value of `impulse` `each` times: 1, 2 or 4.
  init(_ impulse: [Float], each: Int) {
    let inVector = 4 / each
    let padding = (inVector - impulse.count % inVector) % inVector
    let filled = Array(repeating: 0, count: padding) + impulse
    (taps, count) = (filled.count, filled.count / inVector)
    let memory = UnsafeMutablePointer<SIMD4<Float>>.allocate(capacity: count)
    for index in 0..<count {
      var vector = SIMD4<Float>()
      for lane in 0..<4 { vector[lane] = filled[index * inVector + lane / each] }
      unsafe memory.advanced(by: index).initialize(to: vector)
    }
    unsafe vectors = UnsafePointer(memory)
  }

  deinit { unsafe vectors.deallocate() }
}
