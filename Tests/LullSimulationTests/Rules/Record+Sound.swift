import LullEngine

/// The audio sessions of a program, as a reader of the trace knows them.
extension Record {
  struct Sound {
    let id: SessionID
    let session: SessionTraits
    /// True when the session plays or captures, or would if it were not held.
    var isRunning = false
    var isDismissed = false
    /// The number of its beginning; a later beginning has a larger number.
    var rank: UInt64 = 0
    var order = AudioOrder.play
    var isInterrupted = false

    /// True for a session that falls silent when the program sleeps.
    var isLive: Bool { session.direction == .play && !session.isDeep }

    var records: Bool {
      session.direction == .capture && [.record, .playAndRecord].contains(session.category)
    }
  }

  /// The last report about the sound of the program.
  struct Ear {
    var isHeard = false
    /// The end of the hangover.
    var fades: Moment?
  }

  /// The last wake for buffers without audible sound, and the moment from which there may be another.
  struct Refill {
    var wokenAt: Moment?
    var next = Moment(nanoseconds: .min)
  }

  /// True when the program is sounding, or in the hangover.
  func ear(_ scope: AudioScope, at now: Moment) -> Bool {
    guard let ear = ears[scope] else { return false }
    return ear.isHeard || ear.fades.map { $0 > now } ?? false
  }

  /// "Heard within ten minutes, or in the start grace."
  func isWorthHearing(at now: Moment, _ policy: Policy) -> Bool {
    ear(.all, at: now) || isInGrace(at: now) || lastHeard.map { now - $0 < policy.silentRefills } ?? false
  }

  func isInGrace(at now: Moment) -> Bool { graceEnds.map { $0 > now } ?? false }

  func mayRefill(at now: Moment) -> Bool {
    ear(.all, at: now) || isInGrace(at: now) || refill.next <= now
  }

  var isForeground: Bool { state == .active || state == .inactive }
  var isBehind: Bool { state == .background || state == .suspended }

  /// True for sound that the system does not silence: in the background a program must have declared it.
  func hasRight(_ sound: Sound) -> Bool { !isDenied(sound) && hasRight(sound.session.category) }

  /// A session that was denied once was given up.
  func isDenied(_ sound: Sound) -> Bool { sound.order == .deny || isDenied(sound.session) }

  func isDenied(_ session: SessionTraits) -> Bool { isRecordingDenied && session.direction == .capture }

  func hasRight(_ category: AudioCategory) -> Bool {
    !isBehind
      || registration.settings.modes.contains(.audio)
        && [.playback, .record, .playAndRecord].contains(category)
  }

  /// True for a program that needs nothing outside to wake it.
  var needsNothing: Bool {
    registration.settings.modes.isSubset(of: [.audio, .fetch, .remoteNotification])
  }

  /// True for a session of a call, silent or not.
  func isConversation(_ session: SessionTraits) -> Bool {
    session.category == .playAndRecord && registration.settings.modes.contains(.voip)
  }

  func isInCall(at now: Moment) -> Bool { soundLeases(at: now).contains { $0.kind == .call } }

  func soundLeases(at now: Moment) -> [Snapshot.Hold] {
    let rightful = sounds.filter { hasRight($0) }
    var held: [Snapshot.Hold] = []
    let live = ears[.live] ?? Ear()
    let grace = isInGrace(at: now) ? graceEnds : nil
    let fades = live.fades.flatMap { $0 > now ? $0 : nil }
    if rightful.contains(where: \.isLive) || lastCategory.map(hasRight) ?? false {
      let ends = [fades, hasBegun ? grace : nil].compactMap(\.self).max()
      if live.isHeard || ends != nil { held.append(.init(kind: .audible, ends: live.isHeard ? nil : ends)) }
    }
    let records = rightful.contains { $0.isRunning && $0.records }
    if records { held.append(.init(kind: .recording)) }
    guard rightful.contains(where: { $0.isRunning && isConversation($0.session) }) else { return held }
    let callEnds = [fades, callFades.flatMap { $0 > now ? $0 : nil }, grace].compactMap(\.self).max()
    let isEndless = records || live.isHeard
    if isEndless || callEnds != nil { held.append(.init(kind: .call, ends: isEndless ? nil : callEnds)) }
    return held
  }

  /// True when the program may not sleep because of its sound; the trial of a command cannot be heard.
  func soundHolds(at now: Moment) -> Bool {
    guard !sounds.isEmpty || lastCategory != nil else { return false }
    return soundLeases(at: now).contains { !isOnTrial || $0.kind != .audible }
  }

  /// Starts a grace. A grace without audible sound doubles the time until the next; in the foreground a grace
  /// does not count.
  func startsGrace(_ session: SessionTraits, at now: Moment, _ rule: AudibilityPolicy) {
    guard session.direction == .play, hasRight(session.category) else { return }
    if isBehind {
      if let lastGrace, now < lastGrace.began + lastGrace.period { return }
      let period = lastGrace.map { $0.period.scaled(by: 2) } ?? rule.startGracePeriod
      lastGrace = (now, min(period, rule.startGracePeriodMaximum))
    }
    graceEnds = now + rule.startGrace
  }

  /// True when a session plays: a command that plays waits for its device most of the time, and is not idle.
  var plays: Bool { sounds.contains { $0.isRunning && $0.isLive && hasRight($0) } }

  /// True when a session began and has not ended, whether it is heard or other music.
  var hasBegun: Bool {
    sounds.contains { ($0.isRunning || $0.isDismissed) && $0.isLive && hasRight($0) }
  }

  func ended(_ session: SessionID) {
    guard let index = sounds.firstIndex(where: { $0.id == session }) else { return }
    let sound = sounds.remove(at: index)
    if sound.isLive { lastCategory = sound.session.category }
  }

  /// The time for tasks counts towards a suspension: under the leases of sound it stands still.
  func timeTasks(at now: Moment) {
    guard remaining(at: now) != nil else { return }
    let isHeld = !soundLeases(at: now).isEmpty
    if isHeld, let ends = stayEnds { (stayEnds, stayLeft) = (nil, max(.zero, ends - now)) }
    if !isHeld, let left = stayLeft { (stayEnds, stayLeft) = (now + left, nil) }
  }

  /// The rest of the time for tasks; nil where there is no limit.
  func remaining(at now: Moment) -> Interval? { stayLeft ?? stayEnds.map { max(.zero, $0 - now) } }

  /// The time after which nothing that the program has begun keeps it awake; nil where there is no limit.
  func remainsAwake(at now: Moment) -> Interval? {
    let runTimes = ([wake, keepAliveRun, fetch].compactMap(\.self) + pushes).map(\.ends)
    guard let left = remaining(at: now), registration.speaks, tasks.isEmpty, soundLeases(at: now).isEmpty,
      let ends = runTimes.max()
    else { return remaining(at: now) }
    return min(left, max(.zero, ends - now))
  }
}
