import LullEngine

/// "The program is not managed any more; its id will not be used again." No effect names a program that was
/// forgotten, none reaches one that was killed, and an id is given out once.
final class KnownPrograms: Rule {
  static let name = "known-programs"

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    if case .answer(_, .registered(let app, _)) = effect, case .register = ledger.event {
      return try require(!ledger.wasGivenOut(app), "\(app) is given out twice")
    }
    guard let app = effect.app else { return }
    if case .note = effect, case .register = ledger.event, !ledger.wasGivenOut(app) { return }
    guard let record = ledger[app] else {
      throw Violation(rule: Self.name, what: "\(effect) names a program that is not there")
    }
    guard record.isKilled else { return }
    switch effect {
    case .forget, .note, .thaw, .answer: break
    default: try require(false, "\(app) was killed and gets \(effect)")
    }
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    for snapshot in step.snapshots {
      try require(ledger[snapshot.id] != nil, "\(snapshot.id) is shown and not there")
    }
    guard step.isComplete else { return }
    let known = ledger.records.count { $0 != nil }
    try require(known == step.snapshots.count, "\(step.snapshots.count) programs shown, \(known) are there")
  }
}
