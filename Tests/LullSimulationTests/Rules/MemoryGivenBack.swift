import LullEngine

/// "After 10 s asleep a program's memory is given back, or not in this sleep, at most hourly": never of a
/// program that runs, nor of one that must not be touched. Its locks are looked at only while it sleeps, and
/// before that: from then on nothing is done about a sleeper.
final class MemoryGivenBack: Rule {
  static let name = "memory-given-back"
  private(set) var sightings = 0
  private var underWay: [AppID: Ticket] = [:]
  private var given: [AppID: Moment] = [:]
  /// The time for which the machine has been suspended: all of it, and up to the sleep of a program.
  private var stood = Interval.zero, stoodAtSleep: [AppID: Interval] = [:]

  func event(_ event: Event?, _ ledger: Ledger) throws(Violation) {
    if case .stoodStill(let time) = event { stood = stood + time }
    if case .frozen(let app, _) = event, ledger[app]?.hold != .frozen { stoodAtSleep[app] = stood }
    guard case .compacted(let app, let ticket, let result) = event, underWay[app] == ticket else { return }
    underWay[app] = nil
    if result != .stopped { given[app] = ledger.now }
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    switch effect {
    case .compact(let app, let ticket): try compacts(app, ticket: ticket, ledger)
    case .checkLocks(let app):
      try require(ledger[app]?.hold == .frozen, "\(app): its locks are looked at while it runs")
      try requireEarly(app, ledger)
    case .thaw(let app), .kill(let app, _): underWay[app] = nil
    case .forget(let app): (underWay[app], given[app], stoodAtSleep[app]) = (nil, nil, nil)
    default: break
    }
  }

  /// Nothing is done later in a sleep than after 10 s in which the machine ran.
  private func requireEarly(_ app: AppID, _ ledger: Ledger) throws(Violation) {
    guard let since = ledger[app]?.asleepSince, let policy = ledger.policy.processes else { return }
    let late = (stood - (stoodAtSleep[app] ?? stood)) + ledger.lateness
    let asleep = ledger.now - since
    try require(asleep <= policy.compactAfter + late, "\(app): is touched after \(asleep.seconds) s of sleep")
  }

  private func compacts(_ app: AppID, ticket: Ticket, _ ledger: Ledger) throws(Violation) {
    guard let record = ledger[app], let policy = ledger.policy.processes else { return }
    try require(record.hold == .frozen && record.isStaying, "\(app): its memory is given back while it runs")
    try require(!record.registration.settings.staysInMemory, "\(app): its memory is to stay")
    let asleep = ledger.now - (record.asleepSince ?? ledger.now)
    try require(asleep >= policy.compactAfter, "\(app): its memory is given back after \(asleep.seconds) s")
    try requireEarly(app, ledger)
    if let last = given[app] {
      let since = ledger.now - last
      try require(
        since >= policy.compactAgain, "\(app): its memory is given back again after \(since.seconds) s")
    }
    underWay[app] = ticket
    sightings += 1
  }
}
