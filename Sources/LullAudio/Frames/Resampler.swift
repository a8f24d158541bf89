internal import CSpeexDSP

/// speexdsp's resampler. Its delay is left out, so that the frame that comes out first is the one that went
/// in first.
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

  /// So many frames must follow a frame before that frame comes out.
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

/// Frames at the rate of the device that wait to be taken, with the position of each in the ring.
@safe final class Resampled {
  private let resampler: Resampler
  private let buffer: SampleBuffer
  private let silence: SampleBuffer
  private let out: SampleBuffer
  private static let room = 4096
  private static let chunk = 256
  /// The position in the ring at which the stream of frames began; then the frames fed and given since.
  private var base: UInt64
  private var fed: UInt64 = 0
  private var given: UInt64 = 0
  private(set) var ready = 0
  /// So many of the next frames come of the preroll, and are left out.
  private var dropped = 0
  /// No frames follow for now: silence is fed behind the last frame until that has come out.
  var isEnding = false

  init(_ resampler: Resampler, at position: UInt64) {
    self.resampler = resampler
    base = position
    buffer = SampleBuffer(count: Self.room * resampler.channels)
    out = SampleBuffer(count: Self.room * resampler.channels)
    silence = SampleBuffer(count: Self.chunk * resampler.channels)
  }

  /// Begins anew and drops the waiting frames. The `preroll` frames before the position are fed again, so
  /// that the filter goes on where it was; the frames that come of them are left out.
  func reset(at position: UInt64, preroll: Int = 0) {
    (ready, isEnding) = (0, false)
    (base, fed, given) = (position - UInt64(preroll), 0, 0)
    dropped = preroll * resampler.to / resampler.from
    resampler.reset()
  }

  /// The frames that bring the filter into the state that it has at a frame, a number that yields whole
  /// frames; 0 when that takes too many.
  var preroll: Int {
    let step = resampler.from / Self.divisor(resampler.from, resampler.to)
    let count = (resampler.lookAhead + step - 1) / step * step
    return count <= Self.room / 8 ? count : 0
  }

  private static func divisor(_ one: Int, _ other: Int) -> Int {
    other == 0 ? one : divisor(other, one % other)
  }

  private func drop() {
    let count = min(dropped, ready)
    guard count > 0 else { return }
    let channels = resampler.channels
    unsafe buffer.base.update(from: buffer.base + count * channels, count: (ready - count) * channels)
    ready -= count
    dropped -= count
  }

  /// The position in the ring of the next frame to be taken.
  var ringPosition: UInt64 {
    min(base + fed, base + (given - UInt64(ready)) * UInt64(resampler.from) / UInt64(resampler.to))
  }

  private var expected: UInt64 {
    (fed * UInt64(resampler.to) + UInt64(resampler.from) - 1) / UInt64(resampler.from)
  }

  var hasTail: Bool { given < expected }

  /// Feeds frames as far as there is room for the result, and returns their number.
  func feed(_ samples: UnsafePointer<Float>, frames: Int) -> Int {
    let taken = unsafe process(samples, frames: frames, room: Self.room - ready)
    fed += UInt64(taken)
    return taken
  }

  private func process(_ samples: UnsafePointer<Float>, frames: Int, room: Int) -> Int {
    let result = unsafe resampler.process(
      samples, frames: frames, to: buffer.base + ready * resampler.channels, room: room)
    given += UInt64(result.given)
    ready += result.given
    drop()
    return result.taken
  }

  /// Brings out the rest; false while some is left.
  func end() -> Bool {
    let room = min(Self.room - ready, Int(clamping: expected - min(given, expected)))
    guard room > 0 else { return given >= expected }
    _ = unsafe process(silence.base, frames: Self.chunk, room: room)
    return given >= expected
  }

  /// The frames are valid until the next call.
  func take(_ frames: Int) -> UnsafeMutablePointer<Float> {
    let channels = resampler.channels
    unsafe out.base.update(from: buffer.base, count: frames * channels)
    unsafe buffer.base.update(from: buffer.base + frames * channels, count: (ready - frames) * channels)
    ready -= frames
    return unsafe out.base
  }
}
