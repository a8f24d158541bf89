import LullEngine

/// "The shell arms one timer to `deadline`, and one that resumes the machine to `alarm`." After a tick the
/// deadline lies in the future (no busy loop), and neither is later than the next thing that is due for it
/// (no oversleeping).
final class DeadlineHolds: Rule {
  static let name = "deadline-holds"

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    let (deadline, alarm) = (step.deadline ?? .never, step.alarm ?? .never)
    try require(deadline <= alarm, "the alarm comes before the deadline")
    if step.isTick { try require(deadline > ledger.now, "the deadline is over after the tick") }
    for snapshot in step.snapshots {
      guard let record = ledger[snapshot.id] else { continue }
      let due = record.nextDue(ledger.policy, at: ledger.now)
      try require(deadline <= due, "\(snapshot.id) is due \((deadline - due).seconds) s before the deadline")
      let resumes = record.nextAlarm(ledger.policy)
      try require(alarm <= resumes, "\(snapshot.id): the alarm comes \((alarm - resumes).seconds) s late")
    }
    for notice in step.notifications {
      try require(alarm <= notice.fires ?? .never, "\(notice.id) is due before the alarm")
    }
  }
}

extension Record {
  /// The next moment at which something must happen to the program.
  func nextDue(_ policy: Policy, at now: Moment) -> Moment {
    guard !isKilled else { return .never }
    guard isStaying else { return endLimit(policy) }
    var next = min(nextAlarm(policy), messageLimit(policy), taskLimit)
    next = min(next, wake?.ends ?? .never, keepAliveRun?.ends ?? .never)
    if tasks.contains(where: { !$0.isExpired }) { next = min(next, expiry(policy)) }
    if case .freezing(_, let since) = hold { next = min(next, since + policy.freezeLimit) }
    for case let end? in AudioScope.allCases.map({ ears[$0]?.fades }) where end > now {
      next = min(next, end)
    }
    if mayFreeze, !isHeld, !soundHolds(at: now), forbidding(wake) == nil, forbidding(keepAliveRun) == nil {
      next = min(next, wait?.by ?? .never)
    }
    return next
  }

  /// The next moment at which something happens to the program also while the machine is suspended, but for
  /// the timers that `OwnTimersRun` and `WakeTimersRun` know.
  func nextAlarm(_ policy: Policy) -> Moment {
    guard !isKilled, isStaying else { return .never }
    var next = min(delayedUntil ?? .never, runsAlone(policy) ?? .never)
    if hold == .frozen, let interval = registration.settings.udpKeepAlive {
      next = min(next, pathsOpened + interval)
    }
    return next
  }

  /// True for a program for whose own timers a suspended machine is resumed.
  var hasConnection: Bool { registration.settings.modes.contains(.voip) && !lines.isEmpty }
}
