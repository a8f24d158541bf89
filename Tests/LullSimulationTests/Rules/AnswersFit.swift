import LullEngine

/// "Bad input, each with a clear error and nothing lost": a bad request is refused with its own error, and an
/// allowed one is granted.
final class AnswersFit: Rule {
  static let name = "answers-fit"

  private enum Expected {
    case either
    case granted
    case refused(Refusal)
  }
  private var expected = Expected.either

  func event(_ event: Event?, _ ledger: Ledger) throws(Violation) {
    expected = ledger.request.map { expectation($0, ledger) } ?? .either
  }

  func answer(_ answer: Engine.Answer, _ ledger: Ledger) throws(Violation) {
    switch (expected, answer) {
    case (.either, _): break
    case (.granted, .refused(let refusal)): try require(false, "refused with \(refusal)")
    case (.granted, _): break
    case (.refused(let refusal), _):
      try require(answer == .refused(refusal), "\(answer) where \(refusal) is due")
    }
    guard let app = ledger.request?.app, let record = ledger[app] else { return }
    switch answer {
    case .remaining(let told, let forTasks):
      try require(told, fits: record.remainsAwake(at: ledger.now))
      try require(forTasks, fits: record.remaining(at: ledger.now))
    case .task(_, remaining: let told): try require(told, fits: record.remaining(at: ledger.now))
    default: break
    }
  }

  private func require(_ told: Interval?, fits left: Interval?) throws(Violation) {
    try require(told == left, "\(String(describing: told)) remains, not \(String(describing: left))")
  }

  private func expectation(_ request: Engine.Request, _ ledger: Ledger) -> Expected {
    if case .register(let registration) = request { return self.registration(registration, ledger) }
    guard let app = request.app else { return .either }
    guard let record = ledger[app] else { return .refused(.gone) }
    let policy = ledger.policy
    switch request {
    case .release(_, let line):
      return record.lines.contains { $0.id == line } ? .granted : .refused(.noSuchLine(line))
    case .endTask(_, let task):
      return record.tasks.contains { $0.id == task } ? .granted : .refused(.noSuchTask(task))
    case .remaining: return .granted
    case .endSession(_, let session):
      return record.sounds.contains { $0.id == session } ? .granted : .refused(.noSuchSession(session))
    case .transition(_, .quit), .transition(_, .kill):
      return record.registration.isUnmanaged ? .refused(.isUnmanaged) : .granted
    case .cancel, .schedule: return .either
    default: break
    }
    guard record.isStaying else { return .refused(.gone) }
    switch request {
    case .hold(_, let kind, _):
      guard !record.registration.settings.modes.isDisjoint(with: kind.modes) else {
        return .refused(.wrongMode(kind.modes))
      }
      return record.lines.count < policy.maximumLines
        ? .granted : .refused(.tooManyLines(policy.maximumLines))
    case .lineFound:
      return record.lines.count < policy.maximumLines
        ? .granted : .refused(.tooManyLines(policy.maximumLines))
    case .keepAlive(_, let timeout?, lastRun: _, since: _):
      guard record.registration.settings.modes.contains(.voip) else { return .refused(.wrongMode(.voip)) }
      let minimum = policy.keepAliveMinimum
      return timeout >= minimum ? .granted : .refused(.keepAliveTooShort(timeout, minimum: minimum))
    case .fetch(_, .some, since: _):
      return record.registration.settings.modes.contains(.fetch) ? .granted : .refused(.wrongMode(.fetch))
    case .wakeIn(_, .some):
      return record.registration.settings.modes.contains(.voip) ? .granted : .refused(.wrongMode(.voip))
    case .push:
      let mode = Modes.remoteNotification
      guard record.registration.speaks, !record.registration.settings.modes.contains(mode) else {
        return .either
      }
      return .refused(.wrongMode(mode))
    case .open: return record.registration.speaks ? .either : .refused(.gone)
    case .beginTask:
      guard record.tasks.count < policy.maximumTasks else {
        return .refused(.tooManyTasks(policy.maximumTasks))
      }
      // The request itself ends the sleep of its program, and so begins a new stay.
      guard !record.isHeld, let left = record.remaining(at: ledger.now) else {
        return record.isHeld ? .either : .granted
      }
      return left > policy.expirationLead ? .granted : .refused(.noBackgroundTime)
    case .adopt(_, let registration) where record.registration.isUnmanaged:
      return isTaken(registration.name, besides: app, ledger)
        ? .refused(.nameInUse(registration.name)) : .granted
    case .openSession(_, let session):
      guard record.sounds.count < policy.maximumSessions else {
        return .refused(.tooManySessions(policy.maximumSessions))
      }
      return record.isDenied(session) ? .refused(.recordingDenied(record.registration.name)) : .granted
    case .purge:
      if record.registration.isUnmanaged { return .refused(.isUnmanaged) }
      return ledger.mayBePurged(record) ? .either : .refused(.cannotComeBack(record.registration.name))
    case .transition where record.registration.isUnmanaged: return .refused(.isUnmanaged)
    case .transition(_, .suspend): return .either
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
