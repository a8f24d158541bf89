import LullEngine

/// "After 10 s asleep a program's memory is given back, or not in this sleep, at most hourly": never of a
/// program that runs, nor of one that must not be touched.
final class MemoryGivenBack: Rule {
  static let name = "memory-given-back"
  private(set) var sightings = 0
  private var underWay: [AppID: Ticket] = [:]
  private var given: [AppID: Moment] = [:]

  func event(_ event: Event?, _ ledger: Ledger) throws(Violation) {
    guard case .compacted(let app, let ticket, let result) = event, underWay[app] == ticket else { return }
    underWay[app] = nil
    if result != .stopped { given[app] = ledger.now }
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    switch effect {
    case .compact(let app, let ticket): try compacts(app, ticket: ticket, ledger)
    case .thaw(let app), .kill(let app, _): underWay[app] = nil
    case .forget(let app): (underWay[app], given[app]) = (nil, nil)
    default: break
    }
  }

  private func compacts(_ app: AppID, ticket: Ticket, _ ledger: Ledger) throws(Violation) {
    guard let record = ledger[app], let policy = ledger.policy.processes else { return }
    try require(record.hold == .frozen && record.isStaying, "\(app): its memory is given back while it runs")
    try require(!record.registration.settings.staysInMemory, "\(app): its memory is to stay")
    let asleep = record.timeAsleep(at: ledger.now) ?? .zero
    try require(asleep >= policy.compactAfter, "\(app): its memory is given back after \(asleep.seconds) s")
    let late = policy.compactAfter + record.stoodAsleep + ledger.lateness
    try require(asleep <= late, "\(app): its memory is given back after \(asleep.seconds) s of one sleep")
    if let last = given[app] {
      let since = ledger.now - last
      try require(
        since >= policy.compactAgain, "\(app): its memory is given back again after \(since.seconds) s")
    }
    underWay[app] = ticket
    sightings += 1
  }
}
