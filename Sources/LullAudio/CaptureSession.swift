public import LullSystem

/// A session that captures: the frames of the device go into its ring, in its own format.
@safe public final class CaptureSession {
  /// What it was opened with.
  public let request: SessionRequest
  /// Its end of the socket pair.
  public let bell: Bell
  let ring: RingServer
  var order: SessionOrder
  private(set) var command = RingRequest.Command.stop
  private(set) var state = RingState.idle
  /// The ring's word says what another lull-audio did last.
  private var isTakenOver: Bool
  /// What the program has read.
  private(set) var written: UInt64
  private(set) var bellAt: UInt64 = 0
  /// Frames captured.
  private(set) var moved: UInt64
  private(set) var starvedCount: UInt32
  private(set) var rungFor: UInt32
  var hasBegun = false
  /// Frames that the program did not read in time were lost, and it has not caught up since.
  private var isOverrun = false

  private var map: ChannelMap
  private var mapped: SampleBuffer
  private var resampler: Resampler?
  private let converted: SampleBuffer
  /// Frames that the device gives at a time.
  static let chunk = 1024
  private static let room = 2048

  /// Goes on where the ring's own words say that it stopped; nil when no session can have come there: the program can
  /// write these words too.
  public init?(_ request: SessionRequest, ring: RingServer, bell: Bell) {
    moved = ring.moved
    guard moved < RingServer.positionLimit else { return nil }
    (self.request, self.ring, self.bell, order) = (request, ring, bell, request.order)
    written = 0
    isTakenOver = ring.state != .idle
    starvedCount = ring.starved
    rungFor = ring.rungFor
    let channels = request.format.channels
    map = ChannelMap(from: channels, to: channels)
    mapped = SampleBuffer(count: Self.chunk * channels)
    converted = SampleBuffer(count: Self.room * channels)
  }

  /// Frames that wait to be read.
  var queued: UInt64 { min(moved - written, UInt64(ring.capacity)) }

  /// It takes frames.
  var isRunning: Bool { state == .running }

  /// Prepares for a device; false when the rate cannot be converted.
  func attach(_ format: SinkFormat) -> Bool {
    map = ChannelMap(from: format.channels, to: request.format.channels)
    resampler = nil
    guard format.rate != request.format.rate else { return true }
    resampler = Resampler(channels: request.format.channels, from: format.rate, to: request.format.rate)
    return resampler != nil
  }

  /// Reads the program's words once; false when they contradict each other.
  func look() -> Bool {
    guard state != .cut else { return true }
    let request = ring.request()
    guard let wanted = request.command, request.written >= written, request.written <= moved else {
      return false
    }
    (written, bellAt, command) = (request.written, request.bellAt, wanted)
    switch wanted {
    case .stop, .drain: setState(.idle)
    case .pause: setState(.paused)
    case .play: setState(order == .hold ? .held : .running)
    }
    return true
  }

  /// Puts captured frames into the ring. The oldest are lost when the program does not read them.
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

  /// Frames were lost.
  func noteLoss() {
    starvedCount &+= 1
    ring.setStarved(starvedCount)
  }

  /// Writes where it is, and rings the bell when that was asked for.
  func publish(now: Int64) {
    ring.setTaken(moved)
    ring.setMoved(moved, at: now)
    guard bellAt != 0, moved >= bellAt, rungFor != UInt32(truncatingIfNeeded: bellAt) else { return }
    rungFor = UInt32(truncatingIfNeeded: bellAt)
    ring.setRung(for: bellAt)
    bell.ring()
  }

  /// Gives the ring up.
  func cut(_ error: RingError) {
    ring.setError(error)
    setState(.cut)
  }

  private func setState(_ new: RingState) {
    guard new != state || isTakenOver else { return }
    (state, isTakenOver) = (new, false)
    ring.setState(new)
    bell.ring()
  }

  /// When the bell is due, if the device goes on.
  func bellMoment(now: Int64) -> Int64? {
    guard isRunning, bellAt > moved else { return nil }
    return now + request.nanoseconds(bellAt - moved)
  }
}
