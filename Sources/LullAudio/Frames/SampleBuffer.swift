/// Allocated once, so that rendering allocates nothing.
@safe final class SampleBuffer {
  let samples: UnsafeMutableBufferPointer<Float>

  init(count: Int) {
    unsafe samples = .allocate(capacity: count)
    unsafe samples.initialize(repeating: 0)
  }

  var base: UnsafeMutablePointer<Float> {
    guard let base = unsafe samples.baseAddress else { preconditionFailure("a sample buffer has room") }
    return unsafe base
  }

  func first(_ count: Int) -> UnsafeMutableBufferPointer<Float> {
    unsafe UnsafeMutableBufferPointer(rebasing: samples[..<count])
  }

  deinit { unsafe samples.deallocate() }
}
