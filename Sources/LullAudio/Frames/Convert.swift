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

extension Convert {
  @_noLocks
  private static func u8(_ samples: UnsafeRawPointer, count: Int, into floats: UnsafeMutablePointer<Float>) {
    for index in 0..<count {
      let sample = unsafe samples.loadUnaligned(fromByteOffset: index, as: UInt8.self)
      unsafe floats[index] = Float(Int32(sample) &- 128) * 0x1p-7
    }
  }

  @_noLocks
  private static func s16(_ samples: UnsafeRawPointer, count: Int, into floats: UnsafeMutablePointer<Float>) {
    for index in 0..<count {
      let sample = unsafe samples.loadUnaligned(fromByteOffset: 2 &* index, as: Int16.self)
      unsafe floats[index] = Float(sample) * 0x1p-15
    }
  }

  @_noLocks
  private static func s24(_ samples: UnsafeRawPointer, count: Int, into floats: UnsafeMutablePointer<Float>) {
    for index in 0..<count {
      let low = unsafe samples.loadUnaligned(fromByteOffset: 3 &* index, as: UInt16.self)
      let high = unsafe samples.loadUnaligned(fromByteOffset: 3 &* index &+ 2, as: Int8.self)
      unsafe floats[index] = Float(Int32(high) &<< 16 | Int32(low)) * 0x1p-23
    }
  }

  @_noLocks
  private static func s32(_ samples: UnsafeRawPointer, count: Int, into floats: UnsafeMutablePointer<Float>) {
    for index in 0..<count {
      let sample = unsafe samples.loadUnaligned(fromByteOffset: 4 &* index, as: Int32.self)
      unsafe floats[index] = Float(sample) * 0x1p-31
    }
  }

  @_noLocks
  private static func f32(_ samples: UnsafeRawPointer, count: Int, into floats: UnsafeMutablePointer<Float>) {
    for index in 0..<count {
      let bits = unsafe samples.loadUnaligned(fromByteOffset: 4 &* index, as: UInt32.self)
      unsafe floats[index] = Float(bitPattern: bits & 0x7f80_0000 == 0x7f80_0000 ? 0 : bits)
    }
  }
}

/// Adding a great number makes the adder round to the nearest whole number,
/// ties to even, and leaves it in the low bits. The rounding instruction is missing on the oldest x86-64
/// processors, and a call for each sample would be slow.
extension Convert {
  /// 1.5 times the number from which floats of 32 bits are whole.
  private static let whole = Float(0x1.8p23)
  /// 1.5 times the number from which floats of 64 bits are whole.
  private static let wholeDouble = 0x1.8p52

  /// A whole number within the limits; NaN is 0. The scale is at most 32768.
  @inline(__always)
  private static func rounded(_ float: Float, _ scale: Float) -> Int32 {
    let known = float == float ? float : 0
    let limited = max(-scale, min(scale - 1, known * scale))
    return Int32(bitPattern: (limited + whole).bitPattern &- whole.bitPattern)
  }

  /// A whole number of more bits than a float holds, within the limits; NaN is 0.
  @inline(__always)
  private static func roundedDouble(_ float: Float, _ scale: Double) -> Int32 {
    let known = float == float ? Double(float) : 0
    let limited = max(-scale, min(scale - 1, known * scale))
    return Int32(truncatingIfNeeded: (limited + wholeDouble).bitPattern)
  }

  private static func toU8(_ floats: UnsafePointer<Float>, count: Int, into samples: UnsafeMutableRawPointer)
  {
    for index in 0..<count {
      let sample = unsafe UInt8(truncatingIfNeeded: rounded(floats[index], 0x1p7) &+ 128)
      unsafe samples.storeBytes(of: sample, toByteOffset: index, as: UInt8.self)
    }
  }

  private static func toS16(_ floats: UnsafePointer<Float>, count: Int, into samples: UnsafeMutableRawPointer)
  {
    let source = unsafe UnsafeRawPointer(floats)
    var index = 0
    while index &+ 8 <= count {
      let eight = unsafe source.loadUnaligned(fromByteOffset: 4 &* index, as: SIMD8<Float>.self)
      unsafe samples.storeBytes(of: roundedToS16(eight), toByteOffset: 2 &* index, as: SIMD8<Int16>.self)
      index &+= 8
    }
    while index < count {
      let sample = unsafe Int16(truncatingIfNeeded: rounded(floats[index], 0x1p15))
      unsafe samples.storeBytes(of: sample, toByteOffset: 2 &* index, as: Int16.self)
      index &+= 1
    }
  }

  @inline(__always)
  private static func roundedToS16(_ floats: SIMD8<Float>) -> SIMD8<Int16> {
    var scaled = floats * 0x1p15
    scaled.replace(with: 0, where: scaled .!= scaled)
    scaled.replace(with: -0x1p15, where: scaled .< -0x1p15)
    scaled.replace(with: 0x1p15 - 1, where: scaled .> 0x1p15 - 1)
    let bits = unsafe unsafeBitCast(scaled + whole, to: SIMD8<Int32>.self)
    return SIMD8<Int16>(truncatingIfNeeded: bits &- Int32(bitPattern: whole.bitPattern))
  }

  private static func toS24(_ floats: UnsafePointer<Float>, count: Int, into samples: UnsafeMutableRawPointer)
  {
    for index in 0..<count {
      let sample = unsafe roundedDouble(floats[index], 0x1p23)
      unsafe samples.storeBytes(
        of: UInt16(truncatingIfNeeded: sample), toByteOffset: 3 &* index, as: UInt16.self)
      unsafe samples.storeBytes(
        of: UInt8(truncatingIfNeeded: sample &>> 16), toByteOffset: 3 &* index &+ 2, as: UInt8.self)
    }
  }

  private static func toS32(_ floats: UnsafePointer<Float>, count: Int, into samples: UnsafeMutableRawPointer)
  {
    for index in 0..<count {
      let sample = unsafe roundedDouble(floats[index], 0x1p31)
      unsafe samples.storeBytes(of: sample, toByteOffset: 4 &* index, as: Int32.self)
    }
  }

  private static func toF32(_ floats: UnsafePointer<Float>, count: Int, into samples: UnsafeMutableRawPointer)
  {
    for index in 0..<count {
      let float = unsafe floats[index]
      let sample = float == float ? max(-1, min(1, float)) : 0
      unsafe samples.storeBytes(of: sample, toByteOffset: 4 &* index, as: Float.self)
    }
  }
}
