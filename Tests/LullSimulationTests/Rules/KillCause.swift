import LullEngine

/// "Passed it: killed, reason recorded." A program is killed only when a limit really passed, when the user
/// quit it or when it exits where others are suspended; and every limit that passed does kill.
final class KillCause: Rule {
  static let name = "kill-cause"
  /// The program whose `willTerminate` returns in this step.
  private var terminated: AppID?

  func event(_ event: Event?, _ ledger: Ledger) throws(Violation) {
    terminated = nil
    guard case .did(let app, let ticket) = event, let message = ledger[app]?.message else { return }
    if message.message == .willTerminate, message.ticket == ticket { terminated = app }
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    guard case .kill(let app, let reason) = effect, let record = ledger[app] else { return }
    try require(!record.isKilled, "\(app) is killed twice")
    let isProved =
      switch reason {
      case .launchLimit, .backgroundLimit:
        record.killReason(ledger.policy) == reason && record.messageLimit(ledger.policy) <= ledger.now
      case .terminateLimit:
        record.ending?.reason == .exitsOnSuspend && record.endLimit(ledger.policy) <= ledger.now
      case .taskLimit: record.taskLimit <= ledger.now
      case .exitsOnSuspend: terminated == app && record.ending?.reason == .exitsOnSuspend
      case .quit: isQuit(record, ledger)
      case .purged: isPurged(record, ledger)
      }
    try require(isProved, "\(app) is killed for \(reason) without cause")
  }

  private func isQuit(_ record: Record, _ ledger: Ledger) -> Bool {
    if case .transition(record.id, .kill) = ledger.request { return true }
    if case .transition(record.id, .quit) = ledger.request, record.isHeld, record.registration.speaks {
      return true
    }
    guard record.ending?.reason == .quit else { return false }
    return terminated == record.id || record.endLimit(ledger.policy) <= ledger.now
  }

  /// A sleeper gets no message; any other program was asked first.
  private func isPurged(_ record: Record, _ ledger: Ledger) -> Bool {
    guard record.ending?.reason == .purged else { return record.hold == .frozen && record.isStaying }
    return terminated == record.id || record.endLimit(ledger.policy) <= ledger.now
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    if let terminated, let record = ledger[terminated] {
      try require(record.isKilled, "\(terminated): willTerminate returned and it lives on")
    }
    guard step.isTick else { return }
    for case let record? in ledger.records where !record.isKilled {
      let limit =
        record.isStaying
        ? min(record.messageLimit(ledger.policy), record.taskLimit) : record.endLimit(ledger.policy)
      try require(limit > ledger.now, "\(record.id): a limit passed and it is not killed")
    }
  }
}

extension Record {
  func killReason(_ policy: Policy) -> KillReason { isLaunched ? .backgroundLimit : .launchLimit }

  /// The moment by which the outstanding message must have returned.
  func messageLimit(_ policy: Policy) -> Moment {
    guard let message else { return .never }
    switch message.message {
    case .willFinishLaunching, .didFinishLaunching: return launchedAt + policy.launchLimit
    case .willResignActive, .didEnterBackground, .protectedDataWillBecomeUnavailable:
      return message.since + policy.backgroundLimit
    case .didBecomeActive, .willEnterForeground, .willTerminate, .protectedDataDidBecomeAvailable:
      return .never
    }
  }

  /// The limits of a traced program move so far that the first one comes at `moment`.
  func putOff(to moment: Moment, at now: Moment, _ policy: Policy) {
    var limit = min(messageLimit(policy), taskLimit)
    if let ending { limit = ending.reason == .exitsOnSuspend ? endLimit(policy) : .never }
    guard limit <= now, !isKilled else { return }
    let time = moment - limit
    launchedAt = launchedAt + time
    message = message.map { ($0.message, $0.ticket, $0.since + time) }
    ending = ending.map { ($0.since + time, $0.reason) }
    stayEnds = stayEnds.map { $0 + time }
  }

  func endLimit(_ policy: Policy) -> Moment {
    ending.map { $0.since + policy.terminateLimit } ?? .never
  }

  /// The limit for tasks: each handler has run before it.
  var taskLimit: Moment {
    isStaying && !tasks.isEmpty && !isHeld && tasks.allSatisfy(\.isExpired) ? stayEnds ?? .never : .never
  }
}
