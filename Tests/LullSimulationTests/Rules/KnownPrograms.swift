import LullEngine

/// "The program is not managed any more; its id will not be used again." No effect names a program that was
/// forgotten, no effect reaches a program that was killed, and an id is given out once.
final class KnownPrograms: Rule {
  static let name = "known-programs"

  func answer(_ answer: Engine.Answer, _ ledger: Ledger) throws(Violation) {
    guard case .registered(let app, _) = answer, case .register = ledger.request else { return }
    try require(!ledger.wasGivenOut(app), "\(app) is given out twice")
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    guard let app = effect.app else { return }
    guard let record = ledger[app] else {
      throw Violation(rule: Self.name, what: "\(effect) names a program that is not there")
    }
    guard record.isKilled else { return }
    switch effect {
    case .forget, .note, .thaw: break
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
