import LullEngine

/// "Runs of one handler are never less than 600 s and never more than T apart; the first run after installing
/// may come earlier, so that programs fall into step." Reinstalling and clearing change nothing of this. In
/// the foreground none runs. A sleeping program is not woken before its time, unless another program must run
/// its keep-alive, or be woken for its own timers.
final class KeepAliveGaps: Rule {
  static let name = "keepalive-gaps"
  private var unfrozen: [AppID] = []
  private var isShared = false
  private var early: AppID?

  func event(_ event: Event?, _ ledger: Ledger) throws(Violation) {
    unfrozen.removeAll(keepingCapacity: true)
    isShared = false
    early = nil
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    if case .woke(let app, let wake, _) = effect, wake.reason == .keepalive { unfrozen.append(app) }
    if case .woke(_, let wake, _) = effect, wake.reason == .timer { isShared = true }
    if case .note(_, .keepAliveDue) = effect { isShared = true }
    guard case .runKeepAlive(let app, _) = effect, let record = ledger[app] else { return }
    let (now, policy) = (ledger.now, ledger.policy)
    guard record.isBehind, let opens = record.opens(policy), let due = record.due(policy) else {
      throw Violation(rule: Self.name, what: "\(app) has no keep-alive that could run")
    }
    if let last = record.lastRun {
      try require(now - last >= policy.keepAliveMinimum, "\(app): a gap of \((now - last).seconds) s")
    }
    try require(now >= opens, "\(app): runs before its window opens")
    let latest = max(due, record.behindSince) + ledger.lateness
    try require(now <= latest, "\(app): runs \((now - due).seconds) s late")
    if now >= due { isShared = true }
    let alone = unfrozen.contains(app) || record.lastRun == nil ? due : opens
    if now < alone { early = app }
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    if let early, !isShared {
      try require(false, "\(early): runs before its time and no other has to")
    }
    guard step.isTick else { return }
    for case let record? in ledger.records {
      guard let moment = record.runsAlone(ledger.policy) else { continue }
      try require(moment > ledger.now, "\(record.id): its keep-alive did not run")
    }
  }
}
