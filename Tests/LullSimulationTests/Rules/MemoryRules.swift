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

/// "The locks of a sleeper are looked at once, after a second": twice as late after each wake for a lock that
/// the program kept, and after a second again once it has slept on after a look. They are not looked at while
/// the program runs.
final class LocksLookedAt: Rule {
  static let name = "locks-looked-at"
  /// The looks that come early again.
  private(set) var sightings = 0
  private var cares: [AppID: Care] = [:]

  private struct Care {
    /// Wakes for a lock, one after the other.
    var wakes: Int64 = 0
    var hasSleptOn = false
    var isLookedAt = false
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    switch effect {
    case .checkLocks(let app): try looks(app, ledger)
    case .thaw(let app):
      guard let record = ledger[app], record.hold == .frozen, cares[app]?.isLookedAt != true else { return }
      try requireInTime(record, ledger)
    case .note(let app?, .woke(let reason, _)):
      var care = cares[app] ?? Care()
      if reason == .lock {
        care.wakes += 1
      } else if care.isLookedAt {
        (care.wakes, care.hasSleptOn) = (0, care.wakes > 0)
      }
      care.isLookedAt = false
      cares[app] = care
    case .forget(let app): cares[app] = nil
    default: break
    }
  }

  private func looks(_ app: AppID, _ ledger: Ledger) throws(Violation) {
    guard let record = ledger[app], let asleep = record.timeAsleep(at: ledger.now) else {
      throw Violation(rule: Self.name, what: "\(app): its locks are looked at while it runs")
    }
    try require(cares[app]?.isLookedAt != true, "\(app): its locks are looked at twice in a sleep")
    let isEarly = asleep < wait(app, ledger) ?? .zero
    try require(!isEarly, "\(app): its locks are looked at after \(asleep.seconds) s of sleep")
    try requireInTime(record, ledger)
    if cares[app]?.hasSleptOn == true, cares[app]?.wakes == 0 { sightings += 1 }
    cares[app, default: Care()].isLookedAt = true
  }

  private func requireInTime(_ record: Record, _ ledger: Ledger) throws(Violation) {
    guard let asleep = record.timeAsleep(at: ledger.now), let wait = wait(record.id, ledger) else { return }
    let late = wait + record.stoodAsleep + ledger.lateness
    try require(asleep <= late, "\(record.id): its locks are not looked at in \(asleep.seconds) s of sleep")
  }

  private func wait(_ app: AppID, _ ledger: Ledger) -> Interval? {
    ledger.policy.processes.map { $0.lockCheck.doubled(cares[app]?.wakes ?? 0, atMost: $0.lockCheckLast) }
  }
}

/// "Only programs that can come back are purged"; sleepers before programs that run in the background, and
/// the foreground last. One that runs is purged only when pressure is critical, and neither in its launch nor
/// on its way to sleep. The operator chooses freely among those that can come back.
final class PurgeOrder: Rule {
  static let name = "purge-order"
  private(set) var sightings = 0
  /// The calls that are shown; their programs are left alone.
  private var calls: [(id: NotificationID, program: String)] = []
  private var level = MemoryPressure.warning

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    switch effect {
    case .show(let id, program: let program, let content) where content.isCall: calls.append((id, program))
    case .withdraw(let id): calls.removeAll { $0.id == id }
    case .measure: if case .pressure(let level) = ledger.event { self.level = level }
    case .note(let app?, .purged(let held, _)):
      guard let record = ledger[app] else { return }
      sightings += 1
      try require(ledger.mayBePurged(record), "\(app) is purged and cannot come back")
      guard held != nil else { return }
      if record.hold != .frozen { try requireSettled(record) }
      try requireLast(record, ledger)
    case .kill(let app, .purged):
      guard let record = ledger[app] else { return }
      // One that was asked to end may have been uninstalled since.
      let isAsked = record.ending?.reason == .purged
      try require(isAsked || ledger.comesBack(record), "\(app) is killed and cannot come back")
    default: break
    }
  }

  private func requireSettled(_ purged: Record) throws(Violation) {
    try require(level == .critical, "\(purged.id) runs, and pressure is no more than a warning")
    try require(purged.hold == .running, "\(purged.id) is purged on its way to sleep")
    try require(purged.isLaunched, "\(purged.id) is purged in its launch")
  }

  private func requireLast(_ purged: Record, _ ledger: Ledger) throws(Violation) {
    for case let other? in ledger.records {
      guard ledger.mayBePurged(other), !calls.contains(where: { $0.program == other.registration.name })
      else {
        continue
      }
      if purged.hold != .frozen {
        try require(other.hold != .frozen, "\(purged.id) runs, \(other.id) sleeps")
      }
      guard purged.state == .active || purged.state == .inactive else { continue }
      try require(
        other.state != .background || other.hold != .running || !other.isLaunched,
        "\(purged.id) is in the foreground, \(other.id) in the background")
    }
  }
}

extension Ledger {
  /// True for a program whose owner allows its end, or that is installed and takes its lines back.
  func comesBack(_ record: Record) -> Bool {
    let registration = record.registration
    let takesLines = registration.speaks || registration.settings.keepsLines
    return registration.settings.isPurgeable || takesLines && launchable[registration.name] == true
  }

  func mayBePurged(_ record: Record) -> Bool {
    record.isStaying && !record.registration.isUnmanaged && !record.registration.isAdopted
      && comesBack(record)
  }
}

/// The next program is purged only when the pressure is still there after a while.
final class PurgeOneByOne: Rule {
  static let name = "purge-one-by-one"
  private(set) var sightings = 0
  private var last: Moment?

  func event(_ event: Event?, _ ledger: Ledger) throws(Violation) {
    if case .stoodStill(let time) = event { last = last.map { $0 + time } }
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    switch effect {
    case .note(_, .purged(held: .some, _)):
      sightings += 1
      if let last {
        try require(ledger.now - last >= ledger.policy.pressure.settling, "two purges follow each other")
      }
      last = ledger.now
    case .note(nil, .pressureRelieved): last = nil
    default: break
    }
  }
}

/// "When nothing is left that may be purged the triggers rest, twice as long each time": and briefly again
/// once something was purged. A program is purged after the sizes that were asked for last, not after those
/// of an earlier question, which come late.
final class PressureSteps: Rule {
  static let name = "pressure-steps"
  /// The short rests after longer ones.
  private(set) var sightings = 0
  private var rest: Interval?
  private var hasPurged = false
  private var asked: Ticket?
  /// The end of the time in which the sizes are measured: then a program is purged without them.
  private var limit = Moment.never

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    switch effect {
    case .measure(_, let ticket): (asked, limit) = (ticket, ledger.now + ledger.policy.pressure.measuring)
    case .note(_, .purged(held: .some, _)):
      if case .sizes(let ticket, _) = ledger.event {
        let isKnown = ticket == asked || ledger.now >= limit
        try require(isKnown, "a program is purged after sizes that nobody waits for any more")
      }
      (rest, hasPurged) = (nil, true)
    case .restPressure(_, let next): try rests(next, ledger.policy.pressure)
    case .note(nil, .pressureRelieved): (rest, hasPurged) = (nil, false)
    default: break
    }
  }

  private func rests(_ next: Interval, _ policy: PressurePolicy) throws(Violation) {
    let due = rest.map { min($0.scaled(by: 2), policy.restLast) } ?? policy.restFirst
    try require(next == due, "the triggers rest for \(next.seconds) s, not for \(due.seconds) s")
    if rest == nil, hasPurged { sightings += 1 }
    rest = next
  }
}
