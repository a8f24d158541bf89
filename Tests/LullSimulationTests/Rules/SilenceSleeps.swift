import LullEngine

/// "No trick keeps it awake": an audible lease in the background has a cause. The program was reported as
/// sounding, or is in the hangover that was reported, or one of its sessions plays in a start grace; and a
/// grace without audible sound doubles the time until the next one.
final class SilenceSleeps: Rule {
  static let name = "silence-sleeps"
  private(set) var sightings = 0
  private var isHeard: [AudioScope: Set<AppID>] = [:]
  /// The end of the hangover.
  private var fades: [AppID: Moment] = [:]
  /// The last moment in the foreground or with audible sound: a grace that began before does not count.
  private var lastFree: [AppID: Moment] = [:]
  /// The end of the last suspension. A grace stands still, and the time until the next one does not: the rest
  /// of one that began before is no new one.
  private var stoodUntil: Moment?
  /// The moment since which only a grace explains the lease of a program, and the time after which there may
  /// be another.
  private var graces: [AppID: (since: Moment, period: Interval)] = [:]

  func event(_ event: Event?, _ ledger: Ledger) throws(Violation) {
    if case .stoodStill(let time) = event {
      fades = fades.mapValues { $0 + time }
      (stoodUntil, graces) = (ledger.now, [:])
    }
    guard case .audibility(let app, let scope, let report) = event, let record = ledger[app] else { return }
    note(record, ledger)
    switch report {
    case .sounding:
      isHeard[scope, default: []].insert(app)
      (graces[app], lastFree[app]) = (nil, ledger.now)
    case .quiet(let rest):
      // The program was sounding until now, whatever grace began meanwhile.
      if isHeard[scope]?.remove(app) != nil { (graces[app], lastFree[app]) = (nil, ledger.now) }
      if scope == .live { fades[app] = ledger.now + rest }
    }
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    for snapshot in step.snapshots {
      guard let record = ledger[snapshot.id], record.isStaying else { continue }
      note(record, ledger)
      let isHeld = snapshot.leases.contains { $0.kind == .audible }
      if isHeld, record.isBehind, !isExplained(record, ledger) { try checkGrace(record, ledger) }
      if step.isTick, !isHeld, record.isHeld, !record.sounds.isEmpty { sightings += 1 }
    }
  }

  private func note(_ record: Record, _ ledger: Ledger) {
    if record.isForeground { lastFree[record.id] = ledger.now }
  }

  private func isExplained(_ record: Record, _ ledger: Ledger) -> Bool {
    let isLive = record.sounds.contains { $0.isLive && record.hasRight($0.session) }
    guard isLive || record.lastCategory.map(record.hasRight) ?? false else { return false }
    return isHeard[.live]?.contains(record.id) == true || fades[record.id].map { $0 > ledger.now } ?? false
  }

  private func checkGrace(_ record: Record, _ ledger: Ledger) throws(Violation) {
    let (now, rule) = (ledger.now, ledger.policy.audibility)
    try require(record.hasBegun, "\(record.id) is held awake by nothing that began")
    let seen = [lastFree[record.id], stoodUntil].compactMap(\.self).max()
    if let seen, now - seen < rule.startGrace { return }
    guard let last = graces[record.id] else { return graces[record.id] = (now, rule.startGracePeriod) }
    guard now - last.since >= rule.startGrace else { return }
    // The grace may have begun before, under audible sound.
    try require(
      now - last.since >= last.period - rule.startGrace,
      "\(record.id) is held awake by one grace after the other")
    graces[record.id] = (now, min(last.period.scaled(by: 2), rule.startGracePeriodMaximum))
  }
}
