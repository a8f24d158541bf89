import LullEngine

/// What anyone who reads the trace knows of a program's sessions of sound.
extension Record {
  struct Sound {
    let id: SessionID
    let session: SoundSession
    /// It plays or captures, or would.
    var isRunning = false
    /// Other music took its place.
    var isDismissed = false
    /// The so-manieth that began.
    var rank: UInt64 = 0
    /// It was said to be heard, and nothing else since.
    var isHeard = false
    /// The end of the hangover.
    var fades: Moment?
    /// It was heard when it was interrupted.
    var wasHeard = false
    var lastHeard: Moment
    var order = SoundOrder.play
    var isInterrupted = false
    /// Its deep buffer ran low, and nobody has filled it or was woken to do so.
    var isLow = false

    func isAudible(at now: Moment) -> Bool { isHeard || (fades.map { $0 > now } ?? false) }

    func isWorthFilling(at now: Moment, _ policy: Policy) -> Bool {
      order != .hold && (isAudible(at: now) || now - lastHeard < policy.silentRefills)
    }

    mutating func fade(_ end: Moment) { (isHeard, fades) = (false, end) }
  }

  /// It is woken to fill what ran low; whether any of it is heard.
  func fillsLow(at now: Moment, _ policy: Policy) -> Bool {
    var isHeard = false
    for index in sounds.indices where sounds[index].isLow && sounds[index].isWorthFilling(at: now, policy) {
      sounds[index].isLow = false
      if sounds[index].isAudible(at: now) { isHeard = true }
    }
    return isHeard
  }

  var isForeground: Bool { state == .active || state == .inactive }

  /// The system silences programs in the background that do not declare to be heard there.
  func hasRight(_ session: SoundSession) -> Bool {
    guard state == .background || state == .suspended else { return true }
    switch session.category {
    case .ambient, .soloAmbient: return false
    case .playback, .record: return registration.modes.contains(.audio)
    case .playAndRecord: return registration.modes.contains(.audio) || registration.modes.contains(.voip)
    }
  }

  func isCall(_ session: SoundSession) -> Bool {
    session.category == .playAndRecord && registration.modes.contains(.voip)
  }

  /// The leases of sound.
  func soundLeases(at now: Moment) -> [Snapshot.Hold] {
    var (ends, isEndless, records, calls) = (Moment?.none, false, false, false)
    for sound in sounds where hasRight(sound.session) {
      if sound.isRunning, sound.session.direction == .capture { records = true }
      if sound.isRunning, isCall(sound.session) { calls = true }
      guard sound.session.direction == .play, !sound.session.isDeep else { continue }
      if sound.isHeard { isEndless = true }
      for end in [sound.fades, grace?.ends] {
        if let end, end > now { ends = max(ends ?? end, end) }
      }
    }
    if let afterglow, afterglow.ends > now, hasRight(afterglow.session) {
      ends = max(ends ?? afterglow.ends, afterglow.ends)
    }
    var held: [Snapshot.Hold] = []
    if isEndless || ends != nil { held.append(.init(kind: .audible, ends: isEndless ? nil : ends)) }
    if records { held.append(.init(kind: .recording)) }
    if calls { held.append(.init(kind: .call)) }
    return held
  }

  /// True when it may not sleep because of its sound; the trial of a command is not heard.
  func soundHolds(at now: Moment) -> Bool {
    guard !sounds.isEmpty || afterglow != nil else { return false }
    return soundLeases(at: now).contains { !isOnTrial || $0.kind != .audible }
  }

  func startsGrace(_ session: SoundSession, at now: Moment, _ rule: AudibilityPolicy) {
    guard session.direction == .play, !session.isDeep, hasRight(session) else { return }
    if let grace, now - grace.began < rule.startGracePeriod, !grace.isEarned { return }
    grace = (now, now + rule.startGrace, false)
  }

  /// A command that plays waits for its device most of the time, and is not idle.
  var plays: Bool {
    sounds.contains {
      $0.isRunning && !$0.session.isDeep && $0.session.direction == .play && hasRight($0.session)
    }
  }

  func ended(_ session: SessionID, at now: Moment, _ rule: AudibilityPolicy) {
    guard let index = sounds.firstIndex(where: { $0.id == session }) else { return }
    let sound = sounds.remove(at: index)
    // What has not kept it awake does not take a freeze back by its end.
    guard case .running = hold, sound.isAudible(at: now), !sound.session.isDeep else { return }
    let ends = sound.isHeard ? now + .seconds(Int64(rule.hangoverSeconds)) : sound.fades ?? now
    if ends > afterglow?.ends ?? now { afterglow = (sound.session, ends) }
  }
}
