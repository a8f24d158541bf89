import LullEngine

/// "While it sleeps the daemon sends CRLFCRLF every S seconds from its UDP sockets": never for a program that
/// runs, which does so itself, never more often, and never later for as long as it sleeps.
final class PathsKept: Rule {
  static let name = "paths-kept"
  private(set) var sightings = 0

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    guard case .keepPathsOpen(let app) = effect, let record = ledger[app] else { return }
    try require(record.hold == .frozen && record.isStaying, "\(app): its paths are kept open while it runs")
    guard let interval = record.registration.settings.udpKeepAlive else {
      throw Violation(rule: Self.name, what: "\(app): nobody asked to keep its paths open")
    }
    let since = ledger.now - record.pathsOpened
    try require(since >= interval, "\(app): its paths are kept open after \(since.seconds) s")
    let due = max(record.pathsOpened + interval, record.asleepSince ?? ledger.now)
    try require(
      ledger.now <= due + ledger.lateness, "\(app): its paths are kept open after \(since.seconds) s")
    sightings += 1
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    guard step.isTick, step.isComplete else { return }
    for case let record? in ledger.records where record.hold == .frozen && record.isStaying {
      guard let interval = record.registration.settings.udpKeepAlive else { continue }
      try require(record.pathsOpened + interval > ledger.now, "\(record.id): its paths close")
    }
  }
}
