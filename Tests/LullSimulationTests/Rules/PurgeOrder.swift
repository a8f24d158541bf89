import LullEngine

/// "Only programs that can come back are purged"; sleepers before programs that run in the background, and
/// the foreground last. One that runs is purged only when pressure is critical, and neither in its launch nor
/// on its way to sleep. The operator chooses freely among those that can come back.
final class PurgeOrder: Rule {
  static let name = "purge-order"
  private(set) var sightings = 0
  /// The calls that are shown; their programs are left alone.
  private var calls: [(id: NotificationID, program: String)] = []
  /// The level at which the programs were measured.
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
    record.isStaying && !record.registration.isUnmanaged && comesBack(record)
  }
}
