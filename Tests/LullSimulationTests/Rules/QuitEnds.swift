import LullEngine

/// "`lull quit` on a sleeping command thaws it, sends SIGTERM and gives it 5 s." A command that was asked to
/// end is told once, is never frozen from then on, and ends within its time.
final class QuitEnds: Rule {
  static let name = "quit-ends"
  private(set) var sightings = 0
  /// The command that is quit in this step.
  private var asked: AppID?
  private var tellings = 0
  private var quitting: Set<AppID> = []

  func event(_ event: Event?, _ ledger: Ledger) throws(Violation) {
    (asked, tellings) = (nil, 0)
    guard case .transition(let app, .quit) = ledger.request, let record = ledger[app] else { return }
    let registration = record.registration
    if record.isStaying, !registration.speaks, !registration.isUnmanaged { asked = app }
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    switch effect {
    case .terminate(let app) where app == asked: tellings += 1
    case .terminate(let app): try require(!quitting.contains(app), "\(app) is told a second time")
    case .freeze(let app, _), .watch(let app, _, _):
      try require(app != asked && !quitting.contains(app), "\(app) is frozen on its way out")
    case .forget(let app): quitting.remove(app)
    default: break
    }
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    if let asked {
      try require(tellings == 1, "\(asked) was quit and is told \(tellings) times")
      try require(ledger[asked]?.isHeld != true, "\(asked) was quit and stays frozen")
      quitting.insert(asked)
      sightings += 1
    }
    guard step.isTick else { return }
    for case let record? in ledger.records where quitting.contains(record.id) && !record.isKilled {
      try require(record.endLimit(ledger.policy) > ledger.now, "\(record.id) was quit and outlives its time")
    }
  }
}
