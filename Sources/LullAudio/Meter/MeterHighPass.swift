internal import LullSystem

/// The three sections of a Butterworth high-pass of order 6, each with the numerator 1 - 2/z + 1/zz. Their
/// common gain stands apart.
struct MeterHighPass {
  /// The denominator 1 + first/z + second/zz.
  struct Section {
    var first: Double
    var second: Double
  }
  /// The state of a section for two channels, in transposed direct form 2.
  struct State {
    var first = SIMD2<Double>()
    var second = SIMD2<Double>()
  }
  typealias States = (State, State, State)

  let sections: (Section, Section, Section)

  /// The bilinear transform of the analogue filter, its corner prewarped.
  static func design(corner: Double, rate: Double) -> (sections: MeterHighPass, gain: Double) {
    let tangent = Mathematics.tangent(.pi * corner / rate)
    let square = tangent * tangent
    var gain = 1.0
    func section(_ index: Double) -> Section {
      // The damping of a pair of poles on Butterworth's circle.
      let damping = 2 * Mathematics.sine(.pi * (2 * index + 1) / 12) * tangent
      let norm = 1 / (1 + damping + square)
      gain *= norm
      return Section(first: 2 * (square - 1) * norm, second: (1 - damping + square) * norm)
    }
    let sections = (section(2), section(1), section(0))
    return (MeterHighPass(sections: sections), gain)
  }

  /// Filters `count` outputs of the low-pass, `stride` floats apart, and returns the sum of the squares.
  @inline(__always)
  func energy(
    _ input: UnsafePointer<Float>, count: Int, stride: Int, states: inout States
  ) -> SIMD2<Double> {
    var state = states
    var energy = SIMD2<Double>()
    for index in 0..<count {
      let float = unsafe UnsafeRawPointer(input + index * stride).loadUnaligned(as: SIMD2<Float>.self)
      var x = SIMD2(Double(float.x), Double(float.y))
      x = Self.step(sections.0, x, state: &state.0)
      x = Self.step(sections.1, x, state: &state.1)
      x = Self.step(sections.2, x, state: &state.2)
      energy += x * x
    }
    states = state
    return energy
  }

  @inline(__always)
  private static func step(_ section: Section, _ x: SIMD2<Double>, state: inout State) -> SIMD2<Double> {
    let y = x + state.first
    state.first = (state.second - (x + x)) - SIMD2(repeating: section.first) * y
    state.second = x - SIMD2(repeating: section.second) * y
    return y
  }
}
