import LullEngine

/// A program that asked for a wake is woken at that moment when it sleeps, once, and not before.
final class WakeTimersRun: Rule {
  static let name = "wake-timers-run"
  private(set) var sightings = 0
  private var due: [AppID: Moment] = [:]

  func answer(_ answer: Engine.Answer, _ ledger: Ledger) throws(Violation) {
    guard case .wakeIn(let app, let time) = ledger.request, case .done = answer else { return }
    due[app] = time.map { ledger.now + max($0, ledger.policy.wakeTimerMinimum) }
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    switch effect {
    case .woke(let app, let wake, _) where wake.reason == .timer && ledger[app]?.registration.speaks == true:
      guard let moment = due[app] else { return try require(false, "\(app) is woken and did not ask for it") }
      try require(moment <= ledger.now, "\(app) is woken \((moment - ledger.now).seconds) s before its time")
      due[app] = nil
      sightings += 1
    case .note(let app?, .left), .forget(let app): due[app] = nil
    default: break
    }
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    for snapshot in step.snapshots {
      guard let moment = due[snapshot.id], let record = ledger[snapshot.id], record.isStaying else {
        continue
      }
      let isAsleep = record.hold == .frozen
      if isAsleep { try require(step.alarm ?? .never <= moment, "\(record.id): its wake is forgotten") }
      guard moment <= ledger.now else { continue }
      try require(!isAsleep, "\(record.id) sleeps over the wake that it asked for")
      due[record.id] = nil
    }
  }
}
