/// Conversion between the samples of a ring or device, little-endian, and floats with full scale at 1.
package enum Convert {
  /// NaN and infinities become 0; a float above full scale stays as it is.
  package static func toFloat(
    _ samples: UnsafeRawPointer, _ format: SampleFormat, count: Int, into floats: UnsafeMutablePointer<Float>
  ) {
    switch format {
    case .u8: unsafe u8(samples, count: count, into: floats)
    case .s16: unsafe s16(samples, count: count, into: floats)
    case .s24: unsafe s24(samples, count: count, into: floats)
    case .s32: unsafe s32(samples, count: count, into: floats)
    case .f32: unsafe f32(samples, count: count, into: floats)
    }
  }

  /// A float becomes the nearest sample; beyond full scale it becomes full scale, NaN becomes 0.
  ///
  /// Floats that `toFloat` made of samples of 8, 16 or 24 bits become the same samples again.
  package static func fromFloat(
    _ floats: UnsafePointer<Float>, _ format: SampleFormat, count: Int,
    into samples: UnsafeMutableRawPointer
  ) {
    switch format {
    case .u8: unsafe toU8(floats, count: count, into: samples)
    case .s16: unsafe toS16(floats, count: count, into: samples)
    case .s24: unsafe toS24(floats, count: count, into: samples)
    case .s32: unsafe toS32(floats, count: count, into: samples)
    case .f32: unsafe toF32(floats, count: count, into: samples)
    }
  }
}
