import LullEngine

/// "The shell arms one timer to `deadline`." After a tick the deadline lies in the future (no busy loop), and
/// it is never later than the next thing that is due (no oversleeping).
final class DeadlineHolds: Rule {
  static let name = "deadline-holds"

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    let deadline = step.deadline ?? .never
    if step.isTick { try require(deadline > ledger.now, "the deadline is over after the tick") }
    for snapshot in step.snapshots {
      guard let record = ledger[snapshot.id] else { continue }
      let due = record.nextDue(ledger.policy, at: ledger.now)
      try require(deadline <= due, "\(snapshot.id) is due \((deadline - due).seconds) s before the deadline")
    }
    for notice in step.notifications {
      try require(deadline <= notice.fires ?? .never, "\(notice.id) is due before the deadline")
    }
  }
}

extension Record {
  /// The next moment at which something must happen to the program.
  func nextDue(_ policy: Policy, at now: Moment) -> Moment {
    guard !isKilled else { return .never }
    guard isStaying else { return endLimit(policy) }
    var next = min(messageLimit(policy), taskLimit, delayedUntil ?? .never, runsAlone(policy) ?? .never)
    next = min(next, wake?.ends ?? .never, keepAliveRun?.ends ?? .never)
    if tasks.contains(where: { !$0.isExpired }) { next = min(next, expiry(policy)) }
    if case .freezing(_, let since) = hold { next = min(next, since + policy.freezeLimit) }
    for case let end? in AudioScope.allCases.map({ ears[$0]?.fades }) where end > now {
      next = min(next, end)
    }
    if mayFreeze, !isHeld, !soundHolds(at: now), forbidding(wake) == nil, forbidding(keepAliveRun) == nil {
      next = min(next, wait?.by ?? .never)
    }
    if hold == .frozen, let interval = registration.udpKeepAlive { next = min(next, pathsOpened + interval) }
    return next
  }
}
