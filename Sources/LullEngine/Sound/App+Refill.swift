// Deep buffers: a program sleeps while its buffer is played, and is woken in time to fill the buffer.
extension App {
  mutating func ranLow(_ index: Int, _ turn: inout Turn) {
    guard playbacks[index].session.isDeep else { return }
    playbacks[index].need = .unheeded
    guard !isAwake, isWorthFilling(playbacks[index], turn) else { return }
    if wakeToRefill(&turn) { playbacks[index].need = .woken }
  }

  /// Wakes a program that waits for the end of its sound and was put to sleep meanwhile, since its sound was
  /// not audible.
  mutating func drained(_ index: Int, _ turn: inout Turn) {
    guard !isAwake, !playbacks[index].session.isDeep, isWorthFilling(playbacks[index], turn) else { return }
    wakeToRefill(for: .end, &turn)
  }

  /// Wakes a program whose session was given up, even one that was never heard: it would learn the error only
  /// after its sleep. A program that goes on opening sessions in vain is told for as long as a program whose
  /// sound has fallen silent is woken.
  mutating func wasCut(_ turn: inout Turn) {
    guard !isAwake, silentRefills.tellsCut(at: turn.now, turn.policy) || isWorthHearing(turn) else { return }
    wakeToRefill(for: .cut, &turn)
  }

  /// A program that was put to sleep while its sound waited for a device has a ring that is soon empty. A
  /// program with a deep buffer is woken when the buffer runs low.
  mutating func resumed(_ index: Int, _ turn: inout Turn) {
    let playback = playbacks[index]
    guard !isAwake, playback.isRunning else { return }
    giveStartGrace(playback.session, &turn)
    // A grace that begins now forbids the freeze, and so wakes the program anyway.
    guard playback.isLive, !soundForbidsFreeze, isWorthFilling(playback, turn) else { return }
    wakeToRefill(&turn)
  }

  /// Wakes a program whose buffers ran low while it was awake, on its way to sleep, and that has not filled
  /// them.
  mutating func refillUnheeded(owed: SilentRefills.Cause? = nil, _ turn: inout Turn) {
    let low = playbacks.indices.filter {
      guard case .unheeded = playbacks[$0].need else { return false }
      return isWorthFilling(playbacks[$0], turn)
    }
    let isOwed = owed == .cut || owed == .end && isWorthHearing(turn)
    guard !low.isEmpty || isOwed, wakeToRefill(&turn) else { return }
    for index in low { playbacks[index].need = .woken }
  }

  mutating func refillOwed(_ turn: inout Turn) {
    guard isAsleep, silentRefills.due <= turn.now else { return }
    let owed = silentRefills.owed
    silentRefills.settled()
    refillUnheeded(owed: owed, &turn)
  }

  /// A deep session that was interrupted goes on with the rest of its buffer.
  mutating func resumeDeep(_ index: Int, _ turn: inout Turn) {
    guard !isAwake, isWorthHearing(turn) else { return }
    playbacks[index].need = wakeToRefill(&turn) ? .woken : .unheeded
  }

  private func isWorthFilling(_ playback: Playback, _ turn: Turn) -> Bool {
    playback.order != .hold && isWorthHearing(turn)
  }

  /// A program gets no run time for silence.
  private func isWorthHearing(_ turn: Turn) -> Bool {
    if hearing.isHeard(.all, at: turn.now) || startGrace.isGiven(at: turn.now) { return true }
    return hearing.lastHeard.map { turn.now - $0 < turn.policy.silentRefills } ?? false
  }

  /// Returns false when the wake is put off.
  @discardableResult
  private mutating func wakeToRefill(for cause: SilentRefills.Cause = .low, _ turn: inout Turn) -> Bool {
    if hearing.isHeard(.all, at: turn.now) {
      wake(.refill, line: nil, for: turn.policy.wakeRunTime, &turn)
      return true
    }
    guard startGrace.isGiven(at: turn.now) || silentRefills.next <= turn.now else {
      silentRefills.putOff(cause)
      return false
    }
    silentRefills.woke(at: turn.now, turn.policy)
    wake(.refill, line: nil, for: turn.policy.silentRefillTime, &turn)
    return true
  }
}

/// The wakes of a program to fill buffers without audible sound. The program sleeps for nine times as long as
/// the fill took, so that a tiny buffer of silence is no way to run.
struct SilentRefills: Sendable {
  /// A cause that counts more stands later.
  enum Cause: Comparable {
    case low
    /// The end of sound for which the program waits.
    case end
    case cut
  }

  /// The cause of a wake that was put off to `next`.
  private(set) var owed: Cause?
  private var wokenAt: Moment?
  private(set) var next = Moment(nanoseconds: .min)
  /// The first and the last of the moments, one soon after the other, at which a session was given up.
  private var cuts: (first: Moment, last: Moment)?

  var due: Moment { owed == nil ? .never : next }

  /// Returns false when the program has had long enough to learn that a session was given up.
  mutating func tellsCut(at now: Moment, _ policy: Policy) -> Bool {
    let isSoon = cuts.map { now - $0.last < policy.silentRefills } ?? false
    let first = isSoon ? cuts?.first ?? now : now
    cuts = (first, now)
    return now - first < policy.silentRefills
  }

  mutating func putOff(_ cause: Cause) { owed = max(owed ?? cause, cause) }

  /// The program runs and fills its buffers itself, or its buffers are checked anew.
  mutating func settled() { owed = nil }

  mutating func woke(at now: Moment, _ policy: Policy) {
    wokenAt = now
    // The bound for a program that never falls asleep by itself.
    next = now + policy.silentRefillTime.scaled(by: policy.silentRefillShare + 1)
  }

  mutating func slept(at now: Moment, _ policy: Policy) {
    guard let wokenAt else { return }
    let taken = min(now - wokenAt, policy.silentRefillTime)
    next = min(next, now + taken.scaled(by: policy.silentRefillShare))
    self.wokenAt = nil
  }

  mutating func standStill(_ time: Interval) {
    wokenAt = wokenAt.map { $0 + time }
    cuts = cuts.map { (first: $0.first + time, last: $0.last + time) }
    next = next + time
  }
}
