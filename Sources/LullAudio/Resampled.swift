/// Frames that have been brought to the rate of the device and wait to be taken, and which frame of the ring
/// each of them is.
@safe final class Resampled {
  private let resampler: Resampler
  private let buffer: SampleBuffer
  private let silence: SampleBuffer
  private let out: SampleBuffer
  private static let room = 4096
  private static let chunk = 256
  /// Where in the ring the stream of frames began, and what has gone in and come out since.
  private var base: UInt64
  private var fed: UInt64 = 0
  private var given: UInt64 = 0
  /// Frames that wait.
  private(set) var ready = 0
  /// Frames that come out next and are left out.
  private var dropped = 0
  /// No frames follow for now: silence is fed behind the last one until it has come out.
  var isEnding = false

  init(_ resampler: Resampler, at position: UInt64) {
    self.resampler = resampler
    base = position
    buffer = SampleBuffer(count: Self.room * resampler.channels)
    out = SampleBuffer(count: Self.room * resampler.channels)
    silence = SampleBuffer(count: Self.chunk * resampler.channels)
  }

  /// Begins anew; what waits is dropped. The frames that stand before are fed again, `preroll` of them, so
  /// that the filter goes on where it was, and what comes of them is left out.
  func reset(at position: UInt64, preroll: Int = 0) {
    (ready, isEnding) = (0, false)
    (base, fed, given) = (position - UInt64(preroll), 0, 0)
    dropped = preroll * resampler.to / resampler.from
    resampler.reset()
  }

  /// Frames that make the filter what it is at a frame, in which whole frames come out.
  var preroll: Int {
    let step = resampler.from / Self.divisor(resampler.from, resampler.to)
    let count = (resampler.lookAhead + step - 1) / step * step
    return count <= Self.room / 8 ? count : 0
  }

  private static func divisor(_ one: Int, _ other: Int) -> Int {
    other == 0 ? one : divisor(other, one % other)
  }

  /// So much of what came out belongs to frames that were fed again.
  private func drop() {
    let count = min(dropped, ready)
    guard count > 0 else { return }
    let channels = resampler.channels
    unsafe buffer.base.update(from: buffer.base + count * channels, count: (ready - count) * channels)
    ready -= count
    dropped -= count
  }

  /// The frame of the ring that the next one to be taken is.
  var ringPosition: UInt64 {
    min(base + fed, base + (given - UInt64(ready)) * UInt64(resampler.from) / UInt64(resampler.to))
  }

  private var expected: UInt64 {
    (fed * UInt64(resampler.to) + UInt64(resampler.from) - 1) / UInt64(resampler.from)
  }

  /// Some frames went in that have not come out.
  var hasTail: Bool { given < expected }

  /// Takes frames as far as there is room for what comes out.
  func feed(_ samples: UnsafePointer<Float>, frames: Int) -> Int {
    let result = unsafe resampler.process(
      samples, frames: frames, to: buffer.base + ready * resampler.channels, room: Self.room - ready)
    fed += UInt64(result.taken)
    given += UInt64(result.given)
    ready += result.given
    drop()
    return result.taken
  }

  /// Brings out what is left; true when that is all.
  func end() -> Bool {
    let room = min(Self.room - ready, Int(clamping: expected - min(given, expected)))
    guard room > 0 else { return given >= expected }
    let result = unsafe resampler.process(
      silence.base, frames: Self.chunk, to: buffer.base + ready * resampler.channels, room: room)
    given += UInt64(result.given)
    ready += result.given
    drop()
    return given >= expected
  }

  /// Takes frames that wait.
  func take(_ frames: Int) -> UnsafeMutablePointer<Float> {
    let channels = resampler.channels
    unsafe out.base.update(from: buffer.base, count: frames * channels)
    unsafe buffer.base.update(from: buffer.base + frames * channels, count: (ready - frames) * channels)
    ready -= frames
    return unsafe out.base
  }
}
