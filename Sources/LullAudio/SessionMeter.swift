internal import LullEngine
internal import LullSystem

/// Whether what a session plays can be heard, and what the daemon is told of it.
///
/// Frames are metered where they are rendered, each once. The rule counts seconds of the session's sound; its moments
/// are those at which the frames are heard.
struct SessionMeter {
  enum Verdict: Equatable { case sounding, quiet(seconds: Double) }

  private let rate: UInt64
  private let policy: AudibilityPolicy
  private var meter: Meter?
  private var channels = 0
  private var window: AudibleWindow
  /// The frame of the ring up to which everything is metered.
  private(set) var metered: UInt64
  /// Frames that were metered since the last whole second.
  private var part: UInt64 = 0
  /// Where the last audible second ended, and the seconds that the lease lasted then.
  private var lastAudible: (end: UInt64, lease: Int)?
  /// When that second was heard, once it was.
  private var heardAt: Int64?
  private var isTold = false
  /// Up to this frame what is queued was looked at and found audible.
  private var promisedUntil: UInt64?
  /// A promise was broken: what is queued counts no more.
  private var isDistrusted = false

  init(_ request: SessionRequest, policy: AudibilityPolicy, at position: UInt64) {
    rate = UInt64(request.format.rate)
    self.policy = policy
    window = AudibleWindow(policy, spoken: request.isSpoken)
    metered = position
  }

  /// LB of the last 100 ms in hundredths of a decibel; nil for silence.
  var level: Int32? { meter?.level }
  /// Whether it can be heard, as far as the daemon knows.
  var isSounding: Bool { isTold }

  /// The device has so many channels.
  mutating func attach(channels: Int) {
    guard channels != self.channels else { return }
    self.channels = channels
    meter = Meter(rate: Int(rate), channels: channels, policy: policy)
    // Measured anew, what is queued can be looked at anew.
    promisedUntil = nil
  }

  /// Meters frames that begin at a position of the ring, but for those that were metered before.
  mutating func measure(_ samples: UnsafePointer<Float>, frames: Int, channels: Int, at position: UInt64) {
    let end = position + UInt64(frames)
    guard end > metered else { return }
    if position > metered { metered = position }
    let skipped = Int(metered - position)
    let rest = unsafe UnsafeBufferPointer(
      start: samples + skipped * channels, count: (frames - skipped) * channels)
    guard var ended = unsafe meter?.process(rest) else { return }
    metered = end
    part += UInt64(frames - skipped)
    // A second can be told a little after its end, with the frames that follow.
    while let audible = ended.next() {
      part = part >= rate ? part - rate : 0
      window.second(audible: audible)
      if audible { (lastAudible, heardAt) = ((metered - min(part, metered), window.secondsLeft), nil) }
    }
  }

  /// The session goes on at another position.
  mutating func seek(_ position: UInt64) {
    metered = position
    // Frames that were promised and then taken back count like silence.
    if promisedUntil != nil { isDistrusted = true }
    promisedUntil = nil
  }

  /// The session has played nothing for a while.
  mutating func passSilence(nanoseconds: Int64) {
    window.silence(seconds: Int(nanoseconds / 1_000_000_000))
  }

  /// What is to be told now, with the position that is heard at this moment. With `queue` a look at the frames that
  /// wait is possible.
  mutating func verdict(
    moved: UInt64, now: Int64, queue: (inout SessionMeter) -> Void
  ) -> Verdict? {
    note(moved: moved, now: now)
    if let promised = promisedUntil, metered >= promised {
      promisedUntil = nil
      if !window.isSounding { isDistrusted = true }
    }
    if window.isAudible, isRecent(now) || promisedUntil != nil { return tell(.sounding) }
    guard promisedUntil == nil else { return nil }
    if !isDistrusted { queue(&self) }
    if promisedUntil != nil { return tell(.sounding) }
    return isTold ? tell(.quiet(seconds: rest(now))) : nil
  }

  private mutating func tell(_ verdict: Verdict) -> Verdict? {
    let sounds = verdict == .sounding
    guard sounds != isTold else { return nil }
    isTold = sounds
    return verdict
  }

  /// A copy of the meter that looks ahead was told of all frames: believes it when it found them audible.
  mutating func believe(_ copy: SessionMeter) {
    if copy.window.isSounding, copy.lastAudible?.end != lastAudible?.end { promisedUntil = copy.metered }
  }

  /// Whether the rule holds in a copy that looks ahead, so that it need not look further.
  var isConvinced: Bool { window.isSounding }

  private mutating func note(moved: UInt64, now: Int64) {
    guard heardAt == nil, let end = lastAudible?.end, moved >= end else { return }
    heardAt = now - nanoseconds(moved - end)
  }

  /// Whether the last audible second is still to be heard or was heard within the indicator's time.
  private func isRecent(_ now: Int64) -> Bool {
    guard lastAudible != nil else { return false }
    guard let heardAt else { return true }
    return now < heardAt + Int64(policy.indicatorSeconds) * 1_000_000_000
  }

  private func rest(_ now: Int64) -> Double {
    guard let heardAt, let lastAudible else { return 0 }
    return max(0, Double(heardAt + Int64(lastAudible.lease) * 1_000_000_000 - now) / 1e9)
  }

  /// When the next verdict can be due without a frame being rendered.
  func deadline(moved: UInt64, now: Int64) -> Int64? {
    guard isTold, promisedUntil == nil, let end = lastAudible?.end else { return nil }
    let heard = heardAt ?? now + nanoseconds(end - min(end, moved))
    return heard + Int64(policy.indicatorSeconds) * 1_000_000_000
  }

  private func nanoseconds(_ frames: UInt64) -> Int64 { Int64(frames) * 1_000_000_000 / Int64(rate) }
}
