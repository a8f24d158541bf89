package import LullRing

/// A session that captures: the frames of the device go into its ring, in its own format.
/// `written` is the position up to which the program has read.
@safe package final class CaptureSession: RingSession {
  /// Frames were lost because the program did not read them in time, and it has not caught up since.
  private var isOverrun = false

  private var map: ChannelMap
  private var mapped: SampleBuffer
  private var resampler: Resampler?
  private let converted: SampleBuffer
  static let chunk = 1024
  private static let room = 2048

  package init?(_ request: SessionRequest, ring: RingServer, doorbell: Doorbell) {
    let channels = request.format.channels
    map = ChannelMap(from: .device(channels), to: .session(channels))
    mapped = SampleBuffer(count: Self.chunk * channels)
    converted = SampleBuffer(count: Self.room * channels)
    super.init(request, ring: ring, doorbell: doorbell, at: ring.moved)
  }

  override var queued: UInt64 { min(moved - written, UInt64(ring.capacity)) }
  var isRunning: Bool { state == .running }

  /// Returns false when the rate cannot be converted.
  func attach(_ format: SinkFormat) -> Bool {
    map = ChannelMap(from: .device(format.channels), to: .session(request.format.channels))
    resampler = nil
    guard format.rate != request.format.rate else { return true }
    resampler = Resampler(channels: request.format.channels, from: format.rate, to: request.format.rate)
    return resampler != nil
  }

  /// Reads the program's fields of the ring once; false when they contradict each other.
  func look() -> Bool {
    guard state != .cut else { return true }
    let request = ring.request()
    guard let wanted = request.transport, request.written >= written, request.written <= moved else {
      return false
    }
    (written, doorbellAt) = (request.written, request.doorbellAt)
    switch wanted {
    case .stop, .drain: setState(.idle)
    case .pause: setState(.paused)
    case .play: setState(order == .hold ? .held : .running)
    }
    return true
  }

  /// Frames that the program has not read yet are overwritten.
  func take(_ samples: UnsafePointer<Float>, frames: Int) {
    unsafe map.map(samples, frames: frames, into: mapped.base)
    guard let resampler else { return unsafe store(mapped.base, frames) }
    var done = 0
    while done < frames {
      let result = unsafe resampler.process(
        mapped.base + done * request.format.channels, frames: frames - done, to: converted.base,
        room: Self.room)
      guard result.taken > 0 || result.given > 0 else { break }
      unsafe store(converted.base, result.given)
      done += result.taken
    }
  }

  private func store(_ samples: UnsafePointer<Float>, _ frames: Int) {
    let format = request.format
    var done = 0
    while done < frames {
      let place = Int(moved % UInt64(ring.capacity))
      let count = min(frames - done, ring.capacity - place)
      unsafe Convert.fromFloat(
        samples + done * format.channels, format.sample, count: count * format.channels,
        into: ring.frames + place * format.frameBytes)
      moved += UInt64(count)
      done += count
    }
    let hasRunOver = moved - written > UInt64(ring.capacity)
    if hasRunOver, !isOverrun { noteLoss() }
    isOverrun = hasRunOver
  }

  func publish(now: Int64) {
    ring.setTaken(moved)
    ring.setMoved(moved, at: now)
    _ = ringIfDue()
  }

  func cut(_ reason: CutReason) {
    ring.setError(reason)
    setState(.cut)
  }

  private func setState(_ new: SessionState) {
    guard enter(new) else { return }
    ring.setState(new)
    doorbell.ring()
  }

  func doorbellMoment(now: Int64) -> Int64? {
    guard isRunning, doorbellAt > moved else { return nil }
    return now + request.nanoseconds(doorbellAt - moved)
  }
}
