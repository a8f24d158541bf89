package import LullRing

/// A session that plays. Its frames stay in the ring until they are played.
@safe package final class PlaySession: RingSession {
  let source: RingFrames
  private(set) var ear: Ear?
  /// The sound of the program on the device that the session comes from.
  var predecessor: Ear?

  /// What the program wanted when its fields were read last; nil for a ring that an earlier lull-audio
  /// played, until they are read.
  var transport: RingRequest.Transport?
  var rewound: UInt32 = 0
  var movedAt: Int64 = 0
  var timeline = Timeline()
  /// Ducking and holding; places are frames of the device.
  var envelope: Ramp
  /// The position of the last ring, and the position at which the fields are read for the next one.
  var lastDoorbell: UInt64 = 0
  var observeAgainAt: UInt64 = 0
  var starvedAt: Int64?
  /// The session has played since it began or starved, so that running dry counts.
  var hasPlayed = false
  var gain: Float = 1
  /// The program's fields are not read before this moment, after the session made the device give frames
  /// back.
  var lookAt: Int64 = 0
  /// The program wrote frames between the reading of its fields and the state that asks it to ring.
  var hasNews = false
  enum Level { case filled, low, empty }
  /// The level of the ring that the daemon was told.
  private(set) var ringLevel = Level.filled

  package init?(_ request: SessionRequest, ring: RingServer, doorbell: Doorbell) {
    let moved = ring.moved
    envelope = Ramp(Self.target(request.order))
    source = RingFrames(ring, request.format, at: moved)
    super.init(request, ring: ring, doorbell: doorbell, at: moved)
    written = moved
    transport = isTakenOver ? nil : .stop
  }

  override func goOn(as request: SessionRequest, doorbell: Doorbell) {
    ringLevel = .filled
    super.goOn(as: request, doorbell: doorbell)
  }

  /// The factor for an order: 0 dB, about -14 dB, or silence.
  static func target(_ order: AudioOrder) -> Float {
    switch order {
    case .play: 1
    case .duck: 0.2
    case .hold, .deny: 0
    }
  }

  var isWanted: Bool { (transport == .play || transport == .drain) && state != .cut && state != .drained }

  /// Whether the session gives frames: it is wanted, and not yet held.
  var isRendering: Bool { isWanted && (order != .hold || state == .running) }
  var isDeep: Bool { request.lowWater != nil }

  /// Whether frames of the session stand in the device behind a place.
  func isOnItsWay(behind place: UInt64) -> Bool { timeline.deviceEnd.map { $0 > place } ?? false }

  override var isAudible: Bool { state == .running && ear?.hearing.isSounding ?? false }
  override var level: Int32? { state == .running ? ear?.level : nil }
  override var queued: UInt64 { written - min(moved, written) }

  func nanoseconds(_ frames: UInt64) -> Int64 { request.nanoseconds(frames) }

  /// Returns whether that is news for the daemon.
  func note(_ level: Level) -> Bool {
    defer { ringLevel = level }
    return level != ringLevel
  }

  func join(_ ear: Ear) {
    ear.add(self)
    self.ear = ear
  }

  /// Ends a fade: the session goes on at the loudness of its order.
  func endFade() { envelope = Ramp(Self.target(order)) }

  /// Shortens a fade to the frames that stay in the device.
  func pullFade(to place: UInt64) { envelope.pull(to: place) }
}

/// Frames go to the device, and come back.
extension PlaySession {
  /// Returns false when the rate cannot be converted.
  func attach(_ sink: SinkFormat) -> Bool {
    // Frames that were already resampled are taken from the ring once more.
    source.seek(timeline.ringEnd ?? moved)
    return source.attach(sink)
  }

  /// How many of `frames` frames the session can give to a place of the device.
  func prepare(_ frames: Int, at place: UInt64, finishing: Bool) -> Int {
    let limit = order == .hold ? Int(clamping: envelope.end - min(place, envelope.end)) : frames
    return source.prepare(min(frames, limit), written: written, finishing: finishing || transport == .drain)
  }

  func render(_ frames: Int, at place: UInt64, into mix: UnsafeMutablePointer<Float>) {
    let channels = source.channels
    let samples = unsafe source.take(frames, at: place, &timeline)
    unsafe ear?.add(samples, frames: frames, at: place, isDeep: isDeep)
    unsafe envelope.apply(to: samples, frames: frames, channels: channels, at: place)
    for index in 0..<frames * channels { unsafe mix[index] += samples[index] }
  }

  /// Takes back the frames behind a place of the device: they will not play, and are rendered anew.
  func takeBack(to place: UInt64) {
    timeline.truncate(at: place)
    // The device has played less than the clock said. The position that the program was told stays.
    if let end = timeline.ringEnd, end < moved { moved = min(moved, max(end, ring.moved)) }
    source.goBack(to: max(moved, timeline.ringEnd ?? moved))
  }

  /// Leaves the device: frames that did not come back will play there.
  func leave() {
    moved = max(moved, timeline.ringEnd ?? moved)
    timeline.clear()
    source.seek(moved)
    ear?.sessions -= 1
    ear = nil
  }

  /// The frame that is rendered next is the first with the program's gain.
  func applyGain(played: UInt64) {
    guard gain != source.gain.target else { return }
    let isHeard = isHeard(at: played)
    // One change at a time is on its way: the gain at a place stays what it was rendered with.
    let isNext = source.position <= moved + UInt64(request.format.rate / 50)
    guard !isHeard || isNext || source.gain.hasBegun(at: moved) else { return }
    source.setGain(gain, atOnce: !isHeard)
  }

  /// Whether the session's sound goes on at a place of the device.
  func isHeard(at place: UInt64) -> Bool {
    state == .running && timeline.deviceEnd.map { $0 >= place } ?? false
  }

  /// `isHeard` is that of the place.
  func setOrder(_ new: AudioOrder, from place: UInt64, isHeard: Bool, rate: Int) {
    let isLouder = Self.target(new) > Self.target(order)
    order = new
    if isHeard || new != .hold && state == .held {
      envelope.go(to: Self.target(new), from: place, in: isLouder ? rate / 4 : rate / 20)
    } else {
      envelope = Ramp(Self.target(new))
    }
    if isWanted, new == .hold, !isHeard { setState(.held) }
    if isWanted, new != .hold, state == .held { setState(.running) }
  }
}
