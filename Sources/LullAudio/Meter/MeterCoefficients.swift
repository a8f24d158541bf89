/// The coefficients of a filter as the inner loop takes them, in memory that the copies of a meter share.
@safe final class MeterCoefficients: @unchecked Sendable {
  /// Each coefficient as often as it takes for four floats of interleaved frames, the oldest first.
  let vectors: UnsafePointer<SIMD4<Float>>
  let count: Int
  /// The number of coefficients, with the zeros in front that fill the vectors.
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
