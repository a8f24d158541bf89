import LullEngine

/// "What is left of select(2) stands still": after the wake for such a time-out a command is left awake until
/// the time-out has run out, at most for the grace of a lost connection, unless somebody says otherwise.
final class StandingTimersEnd: Rule {
  static let name = "standing-timers-end"
  private(set) var sightings = 0
  private var awakeUntil: [AppID: Moment] = [:]

  func event(_ event: Event?, _ ledger: Ledger) throws(Violation) {
    if case .stoodStill(let time) = event { awakeUntil = awakeUntil.mapValues { $0 + time } }
    switch (event, ledger.request) {
    case (.leave(let app), _), (_, .transition(let app, _)), (_, .adopt(let app, _)): awakeUntil[app] = nil
    default: break
    }
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    switch effect {
    case .note(let app?, .woke(let reason, _)):
      guard reason == .timer, let owed = ledger[app]?.owed, owed > .zero else { return awakeUntil[app] = nil }
      awakeUntil[app] = ledger.now + min(owed, ledger.policy.lostConnectionGrace)
    case .freeze(let app, _):
      guard let until = awakeUntil[app] else { return }
      awakeUntil[app] = nil
      try require(ledger.now >= until, "\(app): its timer has \((until - ledger.now).seconds) s left")
      sightings += 1
    case .forget(let app): awakeUntil[app] = nil
    default: break
    }
  }
}
