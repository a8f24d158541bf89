/// Maps frames of the device to frames of a ring, by the pieces that were rendered and are not yet played.
struct Timeline {
  struct Piece {
    var device: UInt64 = 0
    var deviceFrames: UInt64 = 0
    var ring: UInt64 = 0
    var ringFrames: UInt64 = 0

    var deviceEnd: UInt64 { device + deviceFrames }
    var ringEnd: UInt64 { ring + ringFrames }

    func ringPosition(at place: UInt64) -> UInt64 {
      let (high, low) = (place - device).multipliedFullWidth(by: ringFrames)
      return ring + deviceFrames.dividingFullWidth((high, low)).quotient
    }
  }

  private static let limit = 64
  private var pieces = InlineArray<64, Piece>(repeating: Piece())
  private var first = 0
  private(set) var count = 0

  private subscript(index: Int) -> Piece {
    get { pieces[(first + index) % Self.limit] }
    set { pieces[(first + index) % Self.limit] = newValue }
  }

  /// The place behind the last frame on the device; nil when no frame waits to be played.
  var deviceEnd: UInt64? { count == 0 ? nil : self[count - 1].deviceEnd }

  /// The frame of the ring behind the last one; nil when no frame waits to be played.
  var ringEnd: UInt64? { count == 0 ? nil : self[count - 1].ringEnd }

  /// Pieces that follow on each other become one.
  mutating func append(device: UInt64, frames: UInt64, ring: UInt64, ringFrames: UInt64) {
    guard frames > 0 else { return }
    if count > 0, self[count - 1].deviceEnd == device, self[count - 1].ringEnd == ring {
      self[count - 1].deviceFrames += frames
      self[count - 1].ringFrames += ringFrames
      return
    }
    if count == Self.limit { dropFirst() }
    count += 1
    self[count - 1] = Piece(device: device, deviceFrames: frames, ring: ring, ringFrames: ringFrames)
  }

  /// The ring's frame that plays when the device is at a place: within a gap the frame behind the gap, after
  /// the end the end of the last piece; nil when the timeline is empty. Earlier pieces are forgotten, but for
  /// the last of them.
  mutating func ringPosition(at place: UInt64) -> UInt64? {
    while count > 1, self[0].deviceEnd <= place, self[1].device <= place { dropFirst() }
    guard count > 0 else { return nil }
    let piece = self[0]
    if place <= piece.device { return piece.ring }
    return place >= piece.deviceEnd ? piece.ringEnd : piece.ringPosition(at: place)
  }

  mutating func clear() { (first, count) = (0, 0) }

  /// Forgets the frames behind a place, which the device did not take.
  mutating func truncate(at place: UInt64) {
    while count > 0, self[count - 1].device >= place { count -= 1 }
    guard count > 0, self[count - 1].deviceEnd > place else { return }
    self[count - 1].ringFrames = self[count - 1].ringPosition(at: place) - self[count - 1].ring
    self[count - 1].deviceFrames = place - self[count - 1].device
  }

  private mutating func dropFirst() {
    first = (first + 1) % Self.limit
    count -= 1
  }
}
