import CEbur128

/// Momentary loudness (EBU R 128) by libebur128, read every 100 ms.
@safe final class Loudness {
  private let state: UnsafeMutablePointer<ebur128_state>
  private(set) var last = 0.0

  init?() {
    guard let state = unsafe ebur128_init(2, UInt(Signals.rate), Int32(EBUR128_MODE_M.rawValue)) else {
      return nil
    }
    unsafe self.state = state
  }

  deinit {
    var state: UnsafeMutablePointer<ebur128_state>? = unsafe self.state
    unsafe ebur128_destroy(&state)
  }

  func process(_ samples: [Float], block: Int) {
    var untilRead = Signals.rate / 10
    unsafe samples.withUnsafeBufferPointer { buffer in
      guard let first = buffer.baseAddress else { return }
      for frame in stride(from: 0, to: buffer.count / 2, by: block) {
        _ = unsafe ebur128_add_frames_float(state, first + 2 * frame, block)
        untilRead -= block
        if untilRead <= 0 {
          _ = unsafe ebur128_loudness_momentary(state, &last)
          untilRead += Signals.rate / 10
        }
      }
    }
  }
}
