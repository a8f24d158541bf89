package import LullRing

/// A session that plays. Its frames stay in the ring until they are played; `moved` is the position up to
/// which they are.
@safe package final class PlaySession {
  package private(set) var request: SessionRequest
  package private(set) var doorbell: Doorbell
  let ring: RingServer
  let source: FrameSource
  /// The sound of the session's program on the session's device.
  var ear: Ear?
  /// The sound of the program on the device that the session comes from.
  var former: Ear?

  /// The state that the program wants, as it was read last; nil for a ring that an earlier lull-audio played,
  /// until the state is read.
  var transport: RingRequest.Transport?
  /// True while the state in the ring is that of an earlier lull-audio.
  var isTakenOver: Bool
  var order: AudioOrder
  var state = SessionState.idle
  /// The program's positions as they were read last.
  var written: UInt64
  var rewound: UInt32 = 0
  var doorbellAt: UInt64 = 0
  /// The position up to which frames are played.
  var moved: UInt64
  var movedAt: Int64 = 0
  var timeline = Timeline()
  /// Ducking and holding; places are frames of the device.
  var envelope: Ramp
  var starvedCount: UInt32
  var rungFor: UInt32
  /// The position of the last ring, and the position at which the fields are read for the next one.
  var lastDoorbell: UInt64 = 0
  var observeAgainAt: UInt64 = 0
  /// True when the daemon was told that the session plays.
  var hasBegun = false
  var starvedAt: Int64?
  /// True when the session has played since it began or starved, so that running dry counts.
  var hasPlayed = false
  var gain: Float = 1
  /// The program's fields are not read before this moment: the session has just made the device take frames
  /// back.
  var lookAt: Int64 = 0
  /// True when the program wrote frames between the reading of its fields and the state that asks it to ring.
  var hasNews = false
  /// The level of the ring that the daemon was told.
  enum Level { case filled, low, empty }
  var ringLevel = Level.filled

  /// Goes on at the position in the ring's fields; nil when no session can have come there: the program can
  /// write these fields too.
  package init?(_ request: SessionRequest, ring: RingServer, doorbell: Doorbell) {
    moved = ring.moved
    guard moved < RingServer.positionLimit else { return nil }
    (self.request, self.ring, self.doorbell, order) = (request, ring, doorbell, request.order)
    written = moved
    isTakenOver = ring.state != .idle
    transport = isTakenOver ? nil : .stop
    starvedCount = ring.starved
    rungFor = ring.rungFor
    envelope = Ramp(Self.target(request.order))
    source = FrameSource(ring, request.format, at: moved)
  }

  func renumber(to id: UInt64) { request.id = id }

  /// True when another opening of the ring can go on with this session.
  func canGoOn(as other: SessionRequest) -> Bool {
    state != .cut && request.format == other.format && request.frames == other.frames
      && (request.lowWater == nil) == (other.lowWater == nil)
  }

  /// Goes on as another opening of the ring, of which the daemon has been told nothing. The order stays.
  func goOn(as request: SessionRequest, doorbell: Doorbell) {
    (self.request, self.doorbell) = (request, doorbell)
    (hasBegun, ringLevel) = (false, .filled)
    // What was told by the doorbell before may not have been heard.
    doorbell.ring()
  }

  /// The factor of an order: 0 dB, about -14 dB, or silence.
  static func target(_ order: AudioOrder) -> Float {
    switch order {
    case .play: 1
    case .duck: 0.2
    case .hold: 0
    }
  }

  var isWanted: Bool { (transport == .play || transport == .drain) && state != .cut && state != .drained }

  /// True when the session gives frames: it is wanted, and not yet held.
  var isRendering: Bool { isWanted && (order != .hold || state == .running) }
  var isDeep: Bool { request.lowWater != nil }

  /// True when frames of the session stand in the device behind a place.
  func isOnItsWay(behind place: UInt64) -> Bool { timeline.deviceEnd.map { $0 > place } ?? false }

  var isAudible: Bool { state == .running && ear?.hearing.isSounding ?? false }

  /// The loudness of the program while the session is running, in hundredths of a decibel.
  var level: Int32? { state == .running ? ear?.level : nil }
  var queued: UInt64 { written - min(moved, written) }

  func nanoseconds(_ frames: UInt64) -> Int64 { request.nanoseconds(frames) }
}
