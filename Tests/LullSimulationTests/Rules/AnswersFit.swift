import LullEngine

/// "Bad input, each with a clear error and nothing lost": what must be refused is refused with its own error,
/// and what is allowed is granted.
final class AnswersFit: Rule {
  static let name = "answers-fit"

  private enum Expected {
    case either
    case granted
    case refused(Refusal)
  }
  private var expected = Expected.either

  func event(_ event: Event, _ ledger: Ledger) throws(Violation) {
    expected = expectation(event, ledger)
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    guard case .answer(_, let answer) = effect, let app = ledger.event.app, let record = ledger[app] else {
      return
    }
    switch answer {
    case .remaining(let told), .task(_, remaining: let told):
      let left = record.remaining(at: ledger.now)
      try require(told == left, "\(String(describing: told)) remains, not \(String(describing: left))")
    default: break
    }
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    for case .answer(_, let answer) in step.effects {
      switch (expected, answer) {
      case (.either, _): break
      case (.granted, .refused(let refusal)): try require(false, "refused with \(refusal)")
      case (.granted, _): break
      case (.refused(let refusal), _):
        try require(answer == .refused(refusal), "\(answer) where \(refusal) is due")
      }
    }
  }

  private func expectation(_ event: Event, _ ledger: Ledger) -> Expected {
    if case .register(let registration, _) = event { return self.registration(registration, ledger) }
    guard event.request != nil, let app = event.app else { return .either }
    guard let record = ledger[app] else { return .refused(.gone) }
    let policy = ledger.policy
    switch event {
    case .release(_, let line, _):
      return record.lines.contains { $0.id == line } ? .granted : .refused(.noSuchLine(line))
    case .endTask(_, let task, _):
      return record.tasks.contains { $0.id == task } ? .granted : .refused(.noSuchTask(task))
    case .remaining: return .granted
    case .endSession(_, let session, _):
      return record.sounds.contains { $0.id == session } ? .granted : .refused(.noSuchSession(session))
    case .command(_, .quit, _): return record.registration.isGuest ? .refused(.isGuest) : .granted
    case .cancel, .schedule: return .either
    default: break
    }
    guard record.isStaying else { return .refused(.gone) }
    switch event {
    case .hold(_, let kind, _, _):
      let mode: Modes = kind == .voip ? .voip : .externalAccessory
      guard record.registration.modes.contains(mode) else { return .refused(.wrongMode(mode)) }
      return record.lines.count < policy.maximumLines
        ? .granted : .refused(.tooManyLines(policy.maximumLines))
    case .lineFound:
      return record.lines.count < policy.maximumLines
        ? .granted : .refused(.tooManyLines(policy.maximumLines))
    case .keepAlive(_, let timeout?, lastRun: _, since: _, _):
      guard record.registration.modes.contains(.voip) else { return .refused(.wrongMode(.voip)) }
      let minimum = policy.keepAliveMinimum
      return timeout >= minimum ? .granted : .refused(.keepAliveTooShort(timeout, minimum: minimum))
    case .beginTask:
      guard record.tasks.count < policy.maximumTasks else {
        return .refused(.tooManyTasks(policy.maximumTasks))
      }
      // A program that was asleep starts a new stay with this very request.
      guard !record.isHeld, let left = record.remaining(at: ledger.now) else {
        return record.isHeld ? .either : .granted
      }
      return left > policy.expirationLead ? .granted : .refused(.noBackgroundTime)
    case .adopt(_, let registration, _) where record.registration.isGuest:
      return isTaken(registration.name, besides: app, ledger)
        ? .refused(.nameInUse(registration.name)) : .granted
    case .openSession:
      return record.sounds.count < policy.maximumSessions
        ? .granted : .refused(.tooManySessions(policy.maximumSessions))
    case .command where record.registration.isGuest: return .refused(.isGuest)
    case .command(_, .suspend, _): return .either
    default: return .granted
    }
  }

  private func isTaken(_ name: String, besides app: AppID, _ ledger: Ledger) -> Bool {
    ledger.records.contains { $0.map { $0.id != app && $0.registration.name == name } ?? false }
  }

  private func registration(_ registration: Registration, _ ledger: Ledger) -> Expected {
    var count = 0
    for case let record? in ledger.records {
      count += 1
      if record.registration.name == registration.name { return .refused(.nameInUse(registration.name)) }
    }
    let most = ledger.policy.maximumPrograms
    return count < most ? .granted : .refused(.tooManyPrograms(most))
  }
}
