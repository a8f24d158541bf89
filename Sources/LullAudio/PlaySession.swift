public import LullSystem

/// A session that plays. Its frames stay in the ring until they are heard; `moved` is how far they are.
@safe public final class PlaySession {
  /// What it was opened with.
  public let request: SessionRequest
  /// Its end of the socket pair.
  public let bell: Bell
  let ring: RingServer
  let source: FrameSource
  /// What is heard of its program on the device that it is on.
  var ear: Ear?

  /// What the program wants, as it was read last; nil for a ring that another lull-audio played, until it is
  /// read.
  var command: RingRequest.Command?
  /// The ring's word says what another lull-audio did last.
  var isTakenOver: Bool
  var order: SessionOrder
  var state = RingState.idle
  /// The program's positions as they were read last.
  var written: UInt64
  var rewound: UInt32 = 0
  var bellAt: UInt64 = 0
  /// The position that is heard.
  var moved: UInt64
  /// When that was so.
  var movedAt: Int64 = 0
  var timeline = Timeline()
  /// Ducking and holding; places are frames of the device.
  var envelope: Ramp
  var starvedCount: UInt32
  var rungFor: UInt32
  /// Where the bell was rung last, and where its next value should have been seen.
  var lastBell: UInt64 = 0
  var lookAgainAt: UInt64 = 0
  /// Whether the daemon was told that it plays.
  var hasBegun = false
  var starvedAt: Int64?
  /// Whether it has been heard since it began or starved, so that running dry counts.
  var hasPlayed = false
  /// The program's gain as it was read last.
  var gain: Float = 1
  /// Its words are not read before this moment: it has just made the device take frames back.
  var lookAt: Int64 = 0
  /// The program wrote between the look at its words and the state that says that it should ring.
  var hasNews = false
  /// What the daemon was told of the ring's level.
  enum Level { case filled, low, empty }
  var ringLevel = Level.filled

  /// Goes on where the ring's own words say that it stopped; nil when no session can have come there: the
  /// program can write these words too.
  public init?(_ request: SessionRequest, ring: RingServer, bell: Bell) {
    moved = ring.moved
    guard moved < RingServer.positionLimit else { return nil }
    (self.request, self.ring, self.bell, order) = (request, ring, bell, request.order)
    written = moved
    isTakenOver = ring.state != .idle
    command = isTakenOver ? nil : .stop
    starvedCount = ring.starved
    rungFor = ring.rungFor
    envelope = Ramp(Self.target(request.order))
    source = FrameSource(ring, request.format, at: moved)
  }

  /// 0 dB, about -14 dB, and nothing.
  static func target(_ order: SessionOrder) -> Float {
    switch order {
    case .play: 1
    case .duck: 0.2
    case .hold: 0
    }
  }

  /// The program wants it to be heard.
  var isWanted: Bool { (command == .play || command == .drain) && state != .cut && state != .drained }

  /// It can be given frames: it is to be heard, and is not or not yet held.
  var isRendering: Bool { isWanted && (order != .hold || state == .running) }

  /// It has a deep buffer.
  var isDeep: Bool { request.lowWater != nil }

  /// Frames of it stand in the device behind a place.
  func isOnItsWay(behind place: UInt64) -> Bool { timeline.deviceEnd.map { $0 > place } ?? false }

  /// It is running, and its program can be heard.
  var isAudible: Bool { state == .running && ear?.hearing.isSounding ?? false }

  /// The loudness of its program while it is running, in hundredths of a decibel.
  var level: Int32? { state == .running ? ear?.level : nil }

  /// Frames that are written and not heard.
  var queued: UInt64 { written - min(moved, written) }

  /// Frames of the session in nanoseconds.
  func nanoseconds(_ frames: UInt64) -> Int64 { request.nanoseconds(frames) }
}
