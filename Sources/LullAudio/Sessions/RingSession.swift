import LullRing

/// What a session that plays and one that captures share: the request, the ring and its doorbell.
@safe package class RingSession {
  package private(set) final var request: SessionRequest
  package private(set) final var doorbell: Doorbell
  final let ring: RingServer
  final var order: AudioOrder
  private(set) final var state = SessionState.idle
  /// The state in the ring is still that of an earlier lull-audio.
  private(set) final var isTakenOver: Bool
  /// The program's fields as they were read last.
  final var written: UInt64 = 0
  final var doorbellAt: UInt64 = 0
  /// The position up to which frames are played or captured.
  final var moved: UInt64
  private(set) final var starvedCount: UInt32
  private(set) final var rungFor: UInt32
  /// The daemon was told that the session plays or captures.
  private(set) final var hasBegun = false

  /// Goes on at the position in the ring. The program can write there too: nil for a position that no session
  /// can have come to.
  init?(_ request: SessionRequest, ring: RingServer, doorbell: Doorbell, at moved: UInt64) {
    guard moved < RingServer.positionLimit else { return nil }
    (self.request, self.ring, self.doorbell, order) = (request, ring, doorbell, request.order)
    self.moved = moved
    isTakenOver = ring.state != .idle
    starvedCount = ring.starved
    rungFor = ring.rungFor
  }

  /// The frames that are not played, or not read yet.
  var queued: UInt64 { 0 }
  /// The level of the program while the session plays, in hundredths of a decibel.
  var level: Int32? { nil }
  /// The session plays, and its program is heard.
  var isAudible: Bool { false }

  final func renumber(to id: UInt64) { request.id = id }

  final func canGoOn(as other: SessionRequest) -> Bool {
    state != .cut && request.format == other.format && request.frames == other.frames
      && (request.lowWater == nil) == (other.lowWater == nil)
  }

  /// Goes on as another opening of the ring, of which the daemon has been told nothing. The order stays.
  func goOn(as request: SessionRequest, doorbell: Doorbell) {
    (self.request, self.doorbell, hasBegun) = (request, doorbell, false)
    // What was told by the doorbell before may not have been heard.
    doorbell.ring()
  }

  /// Returns whether that is news for the daemon.
  final func note(isActive: Bool) -> Bool {
    defer { hasBegun = isActive }
    return isActive != hasBegun
  }

  final func noteLoss() {
    starvedCount &+= 1
    ring.setStarved(starvedCount)
  }

  /// False where the ring has the state already. The caller writes it, and rings.
  final func enter(_ new: SessionState) -> Bool {
    guard new != state || isTakenOver else { return false }
    (state, isTakenOver) = (new, false)
    return true
  }

  /// Rings where the program has asked for it at a position that has come; false where it was not to.
  final func ringIfDue() -> Bool {
    guard doorbellAt != 0, moved >= doorbellAt, rungFor != UInt32(truncatingIfNeeded: doorbellAt) else {
      return false
    }
    rungFor = UInt32(truncatingIfNeeded: doorbellAt)
    ring.setRung(for: doorbellAt)
    doorbell.ring()
    return true
  }
}
