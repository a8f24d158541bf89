/// Conversion of floats to samples. Adding a great number makes the adder round to the nearest whole number,
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

  static func toU8(_ floats: UnsafePointer<Float>, count: Int, into samples: UnsafeMutableRawPointer) {
    for index in 0..<count {
      let sample = unsafe UInt8(truncatingIfNeeded: rounded(floats[index], 0x1p7) &+ 128)
      unsafe samples.storeBytes(of: sample, toByteOffset: index, as: UInt8.self)
    }
  }

  static func toS16(_ floats: UnsafePointer<Float>, count: Int, into samples: UnsafeMutableRawPointer) {
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

  static func toS24(_ floats: UnsafePointer<Float>, count: Int, into samples: UnsafeMutableRawPointer) {
    for index in 0..<count {
      let sample = unsafe roundedDouble(floats[index], 0x1p23)
      unsafe samples.storeBytes(
        of: UInt16(truncatingIfNeeded: sample), toByteOffset: 3 &* index, as: UInt16.self)
      unsafe samples.storeBytes(
        of: UInt8(truncatingIfNeeded: sample &>> 16), toByteOffset: 3 &* index &+ 2, as: UInt8.self)
    }
  }

  static func toS32(_ floats: UnsafePointer<Float>, count: Int, into samples: UnsafeMutableRawPointer) {
    for index in 0..<count {
      let sample = unsafe roundedDouble(floats[index], 0x1p31)
      unsafe samples.storeBytes(of: sample, toByteOffset: 4 &* index, as: Int32.self)
    }
  }

  static func toF32(_ floats: UnsafePointer<Float>, count: Int, into samples: UnsafeMutableRawPointer) {
    for index in 0..<count {
      let float = unsafe floats[index]
      let sample = float == float ? max(-1, min(1, float)) : 0
      unsafe samples.storeBytes(of: sample, toByteOffset: 4 &* index, as: Float.self)
    }
  }
}
