internal import CSpeexDSP

/// A change of the rate of frames, by speexdsp's resampler. Its delay is left out, so that the frame that
/// comes out first is the one that went in first.
@safe final class Resampler {
  private let state: OpaquePointer
  let channels: Int
  let from: Int
  let to: Int

  /// Nil when there is no memory.
  init?(channels: Int, from: Int, to: Int) {
    let quality: Int32 = 5
    guard
      let state = unsafe speex_resampler_init(UInt32(channels), UInt32(from), UInt32(to), quality, nil)
    else { return nil }
    unsafe self.state = unsafe state
    (self.channels, self.from, self.to) = (channels, from, to)
    unsafe speex_resampler_skip_zeros(state)
  }

  /// The frames that must follow a frame before that frame comes out.
  var lookAhead: Int { unsafe Int(speex_resampler_get_input_latency(state)) }

  func reset() {
    unsafe speex_resampler_reset_mem(state)
    unsafe speex_resampler_skip_zeros(state)
  }

  func process(
    _ source: UnsafePointer<Float>, frames: Int, to target: UnsafeMutablePointer<Float>, room: Int
  ) -> (taken: Int, given: Int) {
    var (taken, given) = (UInt32(clamping: frames), UInt32(clamping: room))
    unsafe speex_resampler_process_interleaved_float(state, source, &taken, target, &given)
    return (Int(taken), Int(given))
  }

  deinit { unsafe speex_resampler_destroy(state) }
}
