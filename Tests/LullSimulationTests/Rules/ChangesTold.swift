import LullEngine

/// "The system ... delivers a single notification (of each relevant type) that reflects the net change since
/// your app was suspended": a program is told what changed around it as soon as it is awake, once.
final class ChangesTold: Rule {
  static let name = "changes-told"
  private(set) var sightings = 0
  private var now = Values()
  private var known: [AppID: Known] = [:]
  private var localZone: ZoneRules?

  /// What can change and change back.
  private struct Values {
    var offset: Int64?
    /// The day in UTC, which is the zone of the worlds.
    var day: Int64?
    var zoneChanges = 0
    var zone: String?
    var power = Power()
    var isLocked = false
  }

  private struct Known {
    var values: Values
    var missed: SurroundingChanges = []
  }

  func event(_ event: Event?, _ ledger: Ledger) throws(Violation) {
    pass(ledger)
    switch event {
    case .wallClock(let offset): if now.offset.map({ isJump($0, offset) }) ?? true { now.offset = offset }
    case .routeChanged: miss(.route)
    case .surrounding(let change): take(change)
    default: break
    }
    pass(ledger)
  }

  private func pass(_ ledger: Ledger) {
    if case .localZone(let zone) = ledger.request, zone != localZone {
      localZone = zone
      now.zoneChanges += 1
    }
    guard localZone != nil, let offset = now.offset else { return }
    let wall = (ledger.now + Interval(nanoseconds: offset)).nanoseconds
    now.day = Int64((Double(wall) / 86_400e9).rounded(.down))
  }

  private func take(_ change: Surrounding) {
    switch change {
    case .network: miss(.network)
    case .accessory: miss(.accessory)
    case .zone(let zone): now.zone = zone
    case .power(let power): now.power = power
    case .lock(let isOn): now.isLocked = isOn
    case .settings(let app): known[app]?.missed.insert(.settings)
    case .sleep, .online: break
    }
  }

  private func miss(_ change: SurroundingChanges) {
    for app in Array(known.keys) { known[app]?.missed.insert(change) }
  }

  func answer(_ answer: Engine.Answer, _ ledger: Ledger) throws(Violation) {
    guard case .registered(let app, _) = answer else { return }
    if case .adopt = ledger.request, ledger[app]?.registration.speaks == true { return }
    var granted = now
    (granted.power, granted.isLocked) = (Power(), false)
    known[app] = Known(values: granted)
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    switch effect {
    case .changed(let app, let news):
      guard let record = ledger[app] else { return }
      sightings += 1
      let expected = changes(app)
      try require(
        news.changes == expected, "\(app) is told of \(news.changes.words), not of \(expected.words)")
      try require(!record.isHeld, "\(app) is told of changes while it cannot run")
      known[app] = Known(values: now)
    case .freeze(let app, _): if let record = ledger[app] { try requireTold(record) }
    case .note(nil, .pressure): miss(.memory)
    case .note(nil, .accessories): miss(.accessory)
    case .forget(let app): known[app] = nil
    default: break
    }
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    for case let record? in ledger.records {
      if record.isStaying, !record.isHeld { try requireTold(record) }
    }
  }

  /// A program may be woken and put to sleep in one step.
  private func requireTold(_ record: Record) throws(Violation) {
    guard record.registration.speaks else { return }
    let untold = changes(record.id)
    try require(untold.isEmpty, "\(record.id) is awake and is not told of \(untold.words)")
    known[record.id]?.values = now
  }

  private func changes(_ app: AppID) -> SurroundingChanges {
    guard let known = known[app] else { return [] }
    var changes = known.missed
    if let old = known.values.offset, let new = now.offset, isJump(old, new) { changes.insert(.time) }
    let isSameZone = known.values.zoneChanges == now.zoneChanges
    if isSameZone, let old = known.values.day, old != now.day { changes.insert(.time) }
    if let old = known.values.zone, old != now.zone { changes.insert(.zone) }
    if known.values.power != now.power { changes.insert(.power) }
    if known.values.isLocked != now.isLocked { changes.insert(.lock) }
    return changes
  }

  private func isJump(_ old: Int64, _ new: Int64) -> Bool {
    let (distance, overflows) = new.subtractingReportingOverflow(old)
    return overflows || distance.magnitude >= 1_000_000_000
  }
}
