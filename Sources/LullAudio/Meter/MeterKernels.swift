/// The inner loops of the meter, on floats of interleaved frames.
enum MeterKernels {
  /// The outputs of a filter that are computed together: as many sums as hide the latency of an addition.
  static let outputs = 8

  /// Whether no sample is above `peak`; NaN and infinities count as above.
  @inline(__always)
  static func isQuiet(_ samples: UnsafePointer<Float>, count: Int, peak: Float) -> Bool {
    // The bits of magnitudes are ordered like the magnitudes, so the difference is negative for a sample
    // above the peak.
    let limit = SIMD16<Int32>(repeating: Int32(bitPattern: peak.bitPattern))
    let raw = unsafe UnsafeRawPointer(samples)
    var signs = SIMD16<Int32>()
    var index = 0
    while index &+ 16 <= count {
      let bits = unsafe raw.loadUnaligned(fromByteOffset: index &* 4, as: SIMD16<Int32>.self)
      signs |= limit &- (bits & 0x7fff_ffff)
      index &+= 16
    }
    let eight = signs.lowHalf | signs.highHalf
    var sign = eight.lowHalf | eight.highHalf
    while index < count {
      let bits = unsafe raw.loadUnaligned(fromByteOffset: index &* 4, as: Int32.self)
      sign[0] |= limit[0] &- (bits & 0x7fff_ffff)
      index &+= 1
    }
    return (sign[0] | sign[1] | sign[2] | sign[3]) >= 0
  }

  /// Samples as the device will get them: at most full scale, NaN and infinities as silence.
  @inline(__always)
  static func copy(_ samples: UnsafePointer<Float>, to target: UnsafeMutablePointer<Float>, count: Int) {
    unsafe target.update(from: samples, count: count)
    guard unsafe !isQuiet(samples, count: count, peak: 1) else { return }
    for index in 0..<count { unsafe target[index] = limited(samples[index]) }
  }

  /// Like `copy`, with each frame widened by zeros from `channels` to `lanes`.
  static func widen(
    _ samples: UnsafePointer<Float>, channels: Int, to target: UnsafeMutablePointer<Float>, lanes: Int,
    frames: Int
  ) {
    for frame in 0..<frames {
      for channel in 0..<lanes {
        unsafe target[frame &* lanes &+ channel] =
          channel < channels ? limited(samples[frame &* channels &+ channel]) : 0
      }
    }
  }

  @inline(__always)
  private static func limited(_ sample: Float) -> Float {
    guard sample.isFinite else { return 0 }
    return max(-1, min(1, sample))
  }

  /// Eight outputs of a filter, each as four sums. `stride` is the distance in floats between the windows of
  /// two outputs, `step` between the samples of two vectors of coefficients.
  @inline(__always)
  static func filter(
    _ window: UnsafePointer<Float>, stride: Int, step: Int, coefficients: UnsafePointer<SIMD4<Float>>,
    count: Int, into sums: inout InlineArray<8, SIMD4<Float>>
  ) {
    var (a, b, c, d) = (SIMD4<Float>(), SIMD4<Float>(), SIMD4<Float>(), SIMD4<Float>())
    var (e, f, g, h) = (SIMD4<Float>(), SIMD4<Float>(), SIMD4<Float>(), SIMD4<Float>())
    var early = unsafe UnsafeRawPointer(window)
    var late = unsafe early + 16 &* stride
    for index in 0..<count {
      let factor = unsafe coefficients[index]
      a += unsafe factor * early.loadUnaligned(as: SIMD4<Float>.self)
      b += unsafe factor * early.loadUnaligned(fromByteOffset: 4 &* stride, as: SIMD4<Float>.self)
      c += unsafe factor * early.loadUnaligned(fromByteOffset: 8 &* stride, as: SIMD4<Float>.self)
      d += unsafe factor * early.loadUnaligned(fromByteOffset: 12 &* stride, as: SIMD4<Float>.self)
      e += unsafe factor * late.loadUnaligned(as: SIMD4<Float>.self)
      f += unsafe factor * late.loadUnaligned(fromByteOffset: 4 &* stride, as: SIMD4<Float>.self)
      g += unsafe factor * late.loadUnaligned(fromByteOffset: 8 &* stride, as: SIMD4<Float>.self)
      h += unsafe factor * late.loadUnaligned(fromByteOffset: 12 &* stride, as: SIMD4<Float>.self)
      unsafe early += 4 &* step
      unsafe late += 4 &* step
    }
    sums = [a, b, c, d, e, f, g, h]
  }
}
