/// NaN and infinities become 0.
extension Convert {
  @_noLocks
  static func u8(_ samples: UnsafeRawPointer, count: Int, into floats: UnsafeMutablePointer<Float>) {
    for index in 0..<count {
      let sample = unsafe samples.loadUnaligned(fromByteOffset: index, as: UInt8.self)
      unsafe floats[index] = Float(Int32(sample) &- 128) * 0x1p-7
    }
  }

  @_noLocks
  static func s16(_ samples: UnsafeRawPointer, count: Int, into floats: UnsafeMutablePointer<Float>) {
    for index in 0..<count {
      let sample = unsafe samples.loadUnaligned(fromByteOffset: 2 &* index, as: Int16.self)
      unsafe floats[index] = Float(sample) * 0x1p-15
    }
  }

  @_noLocks
  static func s24(_ samples: UnsafeRawPointer, count: Int, into floats: UnsafeMutablePointer<Float>) {
    for index in 0..<count {
      let low = unsafe samples.loadUnaligned(fromByteOffset: 3 &* index, as: UInt16.self)
      let high = unsafe samples.loadUnaligned(fromByteOffset: 3 &* index &+ 2, as: Int8.self)
      unsafe floats[index] = Float(Int32(high) &<< 16 | Int32(low)) * 0x1p-23
    }
  }

  @_noLocks
  static func s32(_ samples: UnsafeRawPointer, count: Int, into floats: UnsafeMutablePointer<Float>) {
    for index in 0..<count {
      let sample = unsafe samples.loadUnaligned(fromByteOffset: 4 &* index, as: Int32.self)
      unsafe floats[index] = Float(sample) * 0x1p-31
    }
  }

  @_noLocks
  static func f32(_ samples: UnsafeRawPointer, count: Int, into floats: UnsafeMutablePointer<Float>) {
    for index in 0..<count {
      let bits = unsafe samples.loadUnaligned(fromByteOffset: 4 &* index, as: UInt32.self)
      unsafe floats[index] = Float(bitPattern: bits & 0x7f80_0000 == 0x7f80_0000 ? 0 : bits)
    }
  }
}
