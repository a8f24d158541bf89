import LullEngine

/// "No trick keeps it awake": an audible lease has a cause. A session that may be heard was said to sound, or
/// is in the hangover of one that was, counted from its end, its interruption or its resumption, or a program
/// that is allowed a start grace began one in the last five seconds; a program that is not heard gets one
/// grace in a minute.
final class SilenceSleeps: Rule {
  static let name = "silence-sleeps"
  private(set) var sightings = 0
  /// Until when what was heard of a session explains a lease.
  private var explained: [SessionID: Moment] = [:]
  private var isHeard: Set<SessionID> = []
  private var wasHeard: Set<SessionID> = []
  /// When each program was heard first and last since its last grace: it may have another.
  private var earned: [AppID: (first: Moment, last: Moment)] = [:]
  private var afterglows: [AppID: Moment] = [:]
  private var lastBegan: [AppID: Moment] = [:]
  /// Since when a lease of each program is known that only a grace explains.
  private var graces: [AppID: Moment] = [:]

  func event(_ event: Event, _ ledger: Ledger) throws(Violation) {
    guard case .sound(let app, let session, let report) = event else { return }
    switch report {
    case .sounding:
      isHeard.insert(session)
      earned[app] = (earned[app]?.first ?? ledger.now, ledger.now)
    case .quiet(let rest):
      isHeard.remove(session)
      explained[session] = ledger.now + rest
    case .began:
      lastBegan[app] = ledger.now
      fades(session, ledger)
    case .ended: fades(session, ledger)
    case .low, .filled, .drained, .resumed: break
    }
  }

  private func fades(_ session: SessionID, _ ledger: Ledger) {
    guard isHeard.remove(session) != nil else { return }
    explained[session] = ledger.now + .seconds(Int64(ledger.policy.audibility.hangoverSeconds))
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    switch effect {
    case .note(_, .interrupted(let session, .began)):
      if isHeard.contains(session) { wasHeard.insert(session) }
      fades(session, ledger)
    case .note(let app?, .interrupted(let session, .ended(shouldResume: true))):
      lastBegan[app] = ledger.now
      guard wasHeard.remove(session) != nil else { return }
      explained[session] = ledger.now + .seconds(Int64(ledger.policy.audibility.hangoverSeconds))
    case .note(let app?, .sessionEnded(let session)):
      fades(session, ledger)
      guard let end = explained.removeValue(forKey: session), end > ledger.now else { return }
      afterglows[app] = max(end, afterglows[app] ?? end)
    default: break
    }
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    for snapshot in step.snapshots {
      guard let record = ledger[snapshot.id], record.isStaying else { continue }
      let isHeld = snapshot.leases.contains { $0.kind == .audible }
      if isHeld, !isExplained(record, ledger) { try checkGrace(record, ledger) }
      if step.isTick, !isHeld, record.isHeld, !record.sounds.isEmpty { sightings += 1 }
    }
  }

  private func isExplained(_ record: Record, _ ledger: Ledger) -> Bool {
    if let end = afterglows[record.id], end > ledger.now { return true }
    return record.sounds.contains { sound in
      guard !sound.session.isDeep, record.hasRight(sound.session) else { return false }
      return isHeard.contains(sound.id) || (explained[sound.id].map { $0 > ledger.now } ?? false)
    }
  }

  private func checkGrace(_ record: Record, _ ledger: Ledger) throws(Violation) {
    let (now, rule) = (ledger.now, ledger.policy.audibility)
    guard let began = lastBegan[record.id] else {
      throw Violation(rule: Self.name, what: "\(record.id) is held awake by sound that never began")
    }
    try require(now - began < rule.startGrace, "\(record.id) is held awake by nothing that is heard")
    // The grace may have begun before, under sound that was heard.
    let next = rule.startGracePeriod - rule.startGrace
    var first = graces[record.id].flatMap { now - $0 < next ? $0 : nil } ?? now
    if now - first >= rule.startGrace, spendsEarned(record.id, began) { first = now }
    graces[record.id] = first
    try require(now - first < rule.startGrace, "\(record.id) is held awake by one grace after the other")
    try require(
      record.sounds.contains { record.hasRight($0.session) && !$0.session.isDeep },
      "\(record.id) is held awake by sound that may not be heard")
  }

  /// What was heard before the grace began pays for it; what was heard since pays for the next.
  private func spendsEarned(_ app: AppID, _ began: Moment) -> Bool {
    guard let heard = earned[app], heard.first <= began else { return false }
    earned[app] = heard.last > began ? (heard.last, heard.last) : nil
    return true
  }
}
