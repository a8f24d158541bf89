import LullEngine

/// "What waits until the machine is awake does not resume it": a suspended machine is resumed for
/// keep-alives, for the own timers of programs with connections and for wakes that programs asked for, for
/// data whose wake is put off, for paths that are kept open and for notifications alone.
final class ResumesForCause: Rule {
  static let name = "resumes-for-cause"
  private(set) var sightings = 0
  private var asked: [AppID: Moment] = [:]
  private var hasCause = false
  /// True after a step that told of the time for which the machine was suspended. It does what is due, too.
  private var hasStood = false

  func event(_ event: Event?, _ ledger: Ledger) throws(Violation) {
    if !hasStood { hasCause = false }
    if case .stoodStill = event { hasStood = true } else { hasStood = false }
    for case let record? in ledger.records where record.nextAlarm(ledger.policy) <= ledger.now {
      hasCause = true
    }
  }

  func answer(_ answer: Engine.Answer, _ ledger: Ledger) throws(Violation) {
    guard case .wakeIn(let app, let time) = ledger.request, case .done = answer else { return }
    asked[app] = time.map { ledger.now + max($0, ledger.policy.wakeTimerMinimum) }
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    switch effect {
    case .note(_, .keepAliveDue), .show, .receive: hasCause = true
    case .note(let app?, .woke(.timer, _)):
      if let record = ledger[app], record.registration.speaks || record.hasConnection { hasCause = true }
    case .checkSignals(let app): if ledger[app]?.hasConnection == true { hasCause = true }
    case .forget(let app): asked[app] = nil
    default: break
    }
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    let due = asked.filter { $0.value <= ledger.now }.map(\.key)
    // Nothing happens to a program that is awake at the moment that it asked for.
    for app in due { (asked[app], hasCause) = (nil, true) }
    guard step.isResumed else { return }
    sightings += 1
    try require(hasCause, "the machine is resumed, and nothing is due that may do so")
  }
}
