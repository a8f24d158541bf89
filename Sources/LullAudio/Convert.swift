public import LullSystem

/// Between the samples of a ring or device, little-endian, and floats with full scale at 1.
public enum Convert {
  /// Makes floats of so many samples. NaN and infinities become 0; a float above full scale stays what it is.
  public static func toFloat(
    _ samples: UnsafeRawPointer, _ format: SampleFormat, count: Int, into floats: UnsafeMutablePointer<Float>
  ) {
    switch format {
    case .u8: unsafe u8(samples, count, floats)
    case .s16: unsafe s16(samples, count, floats)
    case .s24: unsafe s24(samples, count, floats)
    case .s32: unsafe s32(samples, count, floats)
    case .f32: unsafe f32(samples, count, floats)
    }
  }

  /// Makes samples of so many floats: rounded to the nearest, those beyond full scale at full scale, NaN as
  /// 0.
  ///
  /// What `toFloat` made of samples of 8, 16 or 24 bits becomes the same samples again.
  public static func fromFloat(
    _ floats: UnsafePointer<Float>, _ format: SampleFormat, count: Int,
    into samples: UnsafeMutableRawPointer
  ) {
    switch format {
    case .u8: unsafe toU8(floats, count, samples)
    case .s16: unsafe toS16(floats, count, samples)
    case .s24: unsafe toS24(floats, count, samples)
    case .s32: unsafe toS32(floats, count, samples)
    case .f32: unsafe toF32(floats, count, samples)
    }
  }
}
