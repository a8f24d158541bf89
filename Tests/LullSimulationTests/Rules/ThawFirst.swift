import LullEngine

/// "The thaw is written first, because the caller waits for it." Nothing is sent to a frozen program.
final class ThawFirst: Rule {
  static let name = "thaw-first"

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    switch effect {
    case .deliver(let app, _, _), .woke(let app, _, _), .runKeepAlive(let app, _), .expire(let app, _),
      .terminate(let app), .warnMemory(let app), .receive(let app, _, _), .action(let app, _, _, _),
      .open(let app, _, _),
      .interruption(let app, _, _), .route(let app), .changed(let app, _):
      try require(ledger[app]?.isHeld != true, "\(app) is frozen and gets \(effect)")
    case .answerPing(let app, _):
      try require(ledger[app]?.hold == .frozen, "\(app) runs and its ping is answered for it")
    case .order, .freeze, .watch, .thaw, .keepPathsOpen, .compact, .checkLocks, .checkSignals, .weigh,
      .exempt, .kill, .show, .withdraw, .keep, .drop, .launch, .giveUpLaunch, .keepInstalled, .forget,
      .measure,
      .restPressure, .keepLines, .note:
      break
    }
  }
}
