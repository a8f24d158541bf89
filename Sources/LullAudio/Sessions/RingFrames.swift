internal import LullRing

/// Takes a session's frames from its ring, converts them, applies the program's gain, and maps them to the
/// channels and the rate of the device. The frames stay in the ring, so that the source can be put back to
/// any position.
@safe final class RingFrames {
  private let ring: RingServer
  private let format: FrameFormat
  private let raw: SampleBuffer
  /// The program's gain; places are frames of the ring.
  private(set) var gain = Ramp(1)
  private var matrix: ChannelMap
  private var mapped: SampleBuffer
  private var resampled: Resampled?
  /// The next frame that is taken from the ring.
  private(set) var position: UInt64

  static let chunk = 1024

  init(_ ring: RingServer, _ format: FrameFormat, at position: UInt64) {
    (self.ring, self.format, self.position) = (ring, format, position)
    raw = SampleBuffer(count: Self.chunk * format.channels)
    matrix = ChannelMap(from: .session(format.channels), to: .device(format.channels))
    mapped = SampleBuffer(count: Self.chunk * format.channels)
  }

  var channels: Int { matrix.outputs }

  /// Returns false when the rate cannot be converted.
  func attach(_ sink: SinkFormat) -> Bool {
    if sink.channels != matrix.outputs {
      matrix = ChannelMap(from: .session(format.channels), to: .device(sink.channels))
      mapped = SampleBuffer(count: Self.chunk * sink.channels)
    }
    resampled = nil
    guard sink.rate != format.rate else { return true }
    guard let resampler = Resampler(channels: sink.channels, from: format.rate, to: sink.rate) else {
      return false
    }
    resampled = Resampled(resampler, at: position)
    return true
  }

  func seek(_ position: UInt64) {
    self.position = position
    gain.pull(to: position)
    resampled?.reset(at: position)
  }

  /// Goes back to a position without a break in the sound there.
  func goBack(to position: UInt64) {
    seek(position)
    // The program may have overwritten frames that it knows to be played.
    let known = ring.moved
    guard let resampled, position >= known, position - known >= UInt64(resampled.preroll) else { return }
    resampled.reset(at: position, preroll: resampled.preroll)
    self.position = position - UInt64(resampled.preroll)
  }

  /// Without `atOnce` the change takes 10 ms.
  func setGain(_ value: Float, atOnce: Bool) {
    if atOnce { gain = Ramp(value) } else { gain.go(to: value, from: position, in: format.rate / 100) }
  }

  /// How many of `frames` frames of the device can be taken now. With `finishing` the resampler also gives
  /// out the frames that wait in it for frames to come.
  func prepare(_ frames: Int, written: UInt64, finishing: Bool) -> Int {
    guard let resampled else { return Int(min(UInt64(frames), written - min(position, written))) }
    while resampled.ready < frames {
      if resampled.isEnding {
        guard resampled.end() else { continue }
        guard resampled.ready == 0, position < written else { break }
        resampled.reset(at: position)
      }
      guard position < written else {
        guard finishing, resampled.hasTail else { break }
        resampled.isEnding = true
        continue
      }
      let count = Int(min(UInt64(Self.chunk), written - position))
      let samples = unsafe load(count)
      position += UInt64(unsafe resampled.feed(samples, frames: count))
    }
    return min(frames, resampled.ready)
  }

  func isEmpty(written: UInt64) -> Bool {
    guard position >= written else { return false }
    guard let resampled else { return true }
    return resampled.ready == 0 && !resampled.hasTail
  }

  /// The samples stay until the next call.
  func take(_ frames: Int, at place: UInt64, _ timeline: inout Timeline) -> UnsafeMutablePointer<Float> {
    guard let resampled else {
      let count = min(frames, Self.chunk)
      timeline.append(device: place, frames: UInt64(count), ring: position, ringFrames: UInt64(count))
      let samples = unsafe load(count)
      position += UInt64(count)
      return unsafe samples
    }
    let before = resampled.ringPosition
    let samples = unsafe resampled.take(frames)
    timeline.append(
      device: place, frames: UInt64(frames), ring: before, ringFrames: resampled.ringPosition - before)
    return unsafe samples
  }

  /// The frames at `position`, at most a chunk, as the device gets them but at the session's rate.
  private func load(_ count: Int) -> UnsafeMutablePointer<Float> {
    let first = Int(position % UInt64(ring.capacity))
    let head = min(count, ring.capacity - first)
    unsafe Convert.toFloat(
      ring.frames + first * format.frameBytes, format.sample, count: head * format.channels, into: raw.base)
    if head < count {
      unsafe Convert.toFloat(
        ring.frames, format.sample, count: (count - head) * format.channels,
        into: raw.base + head * format.channels)
    }
    unsafe gain.apply(to: raw.base, frames: count, channels: format.channels, at: position)
    guard !matrix.isIdentity else { return unsafe raw.base }
    unsafe matrix.map(raw.base, frames: count, into: mapped.base)
    return unsafe mapped.base
  }
}
