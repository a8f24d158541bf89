package import LullRing

/// A session that captures: the frames of the device go into its ring, in its own format.
@safe package final class CaptureSession {
  package private(set) var request: SessionRequest
  package private(set) var doorbell: Doorbell
  let ring: RingServer
  var order: AudioOrder
  private(set) var transport = RingRequest.Transport.stop
  private(set) var state = SessionState.idle
  /// The state in the ring is still that of an earlier lull-audio.
  private var isTakenOver: Bool
  /// The position up to which the program has read.
  private(set) var written: UInt64
  private(set) var doorbellAt: UInt64 = 0
  private(set) var moved: UInt64
  private(set) var starvedCount: UInt32
  private(set) var rungFor: UInt32
  /// The daemon was told that the session captures.
  private(set) var hasBegun = false
  /// Frames were lost because the program did not read them in time, and it has not caught up since.
  private var isOverrun = false

  private var map: ChannelMap
  private var mapped: SampleBuffer
  private var resampler: Resampler?
  private let converted: SampleBuffer
  static let chunk = 1024
  private static let room = 2048

  /// Goes on at the position in the ring. The program can write there too: nil for a position that no session
  /// can have come to.
  package init?(_ request: SessionRequest, ring: RingServer, doorbell: Doorbell) {
    moved = ring.moved
    guard moved < RingServer.positionLimit else { return nil }
    (self.request, self.ring, self.doorbell, order) = (request, ring, doorbell, request.order)
    written = 0
    isTakenOver = ring.state != .idle
    starvedCount = ring.starved
    rungFor = ring.rungFor
    let channels = request.format.channels
    map = ChannelMap(from: .device(channels), to: .session(channels))
    mapped = SampleBuffer(count: Self.chunk * channels)
    converted = SampleBuffer(count: Self.room * channels)
  }

  func renumber(to id: UInt64) { request.id = id }

  func canGoOn(as other: SessionRequest) -> Bool {
    state != .cut && request.format == other.format && request.frames == other.frames
  }

  /// Goes on as another opening of the ring, of which the daemon has been told nothing. The order stays.
  func goOn(as request: SessionRequest, doorbell: Doorbell) {
    (self.request, self.doorbell, hasBegun) = (request, doorbell, false)
    // What was told by the doorbell before may not have been heard.
    doorbell.ring()
  }

  /// Returns whether that is news for the daemon.
  func note(isCapturing: Bool) -> Bool {
    defer { hasBegun = isCapturing }
    return isCapturing != hasBegun
  }

  var queued: UInt64 { min(moved - written, UInt64(ring.capacity)) }
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
    (written, doorbellAt, transport) = (request.written, request.doorbellAt, wanted)
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

  func noteLoss() {
    starvedCount &+= 1
    ring.setStarved(starvedCount)
  }

  func publish(now: Int64) {
    ring.setTaken(moved)
    ring.setMoved(moved, at: now)
    guard doorbellAt != 0, moved >= doorbellAt, rungFor != UInt32(truncatingIfNeeded: doorbellAt) else {
      return
    }
    rungFor = UInt32(truncatingIfNeeded: doorbellAt)
    ring.setRung(for: doorbellAt)
    doorbell.ring()
  }

  func cut(_ reason: CutReason) {
    ring.setError(reason)
    setState(.cut)
  }

  private func setState(_ new: SessionState) {
    guard new != state || isTakenOver else { return }
    (state, isTakenOver) = (new, false)
    ring.setState(new)
    doorbell.ring()
  }

  func doorbellMoment(now: Int64) -> Int64? {
    guard isRunning, doorbellAt > moved else { return nil }
    return now + request.nanoseconds(doorbellAt - moved)
  }
}
