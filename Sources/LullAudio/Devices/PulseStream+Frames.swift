internal import CPulse

extension PulseStream {
  /// Writes frames, the first of them over the last `last` frames that were written. The corresponding C
  /// function is `pa_stream_write`.
  func write(_ bytes: UnsafeRawPointer, frames: Int, over last: Int) throws(SinkError) {
    try look()
    let result = unsafe connection.library.stream_write(
      raw, bytes, frames * frameBytes, nil, Int64(-last * frameBytes), PA_SEEK_RELATIVE)
    guard result >= 0 else { throw connection.failure }
    try look()
  }

  /// Hands over captured frames, at most `frames`; the bytes are nil where the server has lost frames.
  /// Returns their number, 0 when none wait. The corresponding C functions are `pa_stream_peek` and
  /// `pa_stream_drop`.
  func take(_ frames: Int, _ body: (UnsafeRawPointer?, Int) -> Void) throws(SinkError) -> Int {
    var (bytes, count): (UnsafeRawPointer?, Int) = (nil, 0)
    guard unsafe connection.library.stream_peek(raw, &bytes, &count) >= 0 else { throw connection.failure }
    guard count > taken * frameBytes else { return 0 }
    let given = min(frames, count / frameBytes - taken)
    unsafe body(bytes.map { unsafe $0 + taken * frameBytes }, given)
    taken += given
    guard taken == count / frameBytes else { return given }
    taken = 0
    _ = unsafe connection.library.stream_drop(raw)
    return given
  }
}
