import LullModel
import LullRing
import LullSystem

/// Makes samples louder or quieter, in place; integers that go beyond the scale are clipped.
enum SampleGain {
  static func apply(_ factor: Float, _ sample: SampleFormat, to bytes: UnsafeMutableRawBufferPointer) {
    switch sample {
    case .f32: unsafe scale(bytes.assumingMemoryBound(to: Float.self)) { $0 * factor }
    case .s32:
      let factor = Double(factor)
      unsafe scale(bytes.assumingMemoryBound(to: Int32.self)) {
        Int32(saturating: (Double($0) * factor).rounded())
      }
    case .u8, .s16, .s24:
      unsafe scale(bytes.assumingMemoryBound(to: Int16.self)) {
        Int16(saturating: Double((Float($0) * factor).rounded()))
      }
    }
  }

  private static func scale<Value>(
    _ samples: UnsafeMutableBufferPointer<Value>, _ change: (Value) -> Value
  ) {
    for index in samples.indices { unsafe samples[index] = unsafe change(samples[index]) }
  }
}
