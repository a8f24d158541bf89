import LullEngine

/// "A command cannot say `done`: it may sleep before its run time is over, once it is proved idle." Until
/// then the run time is shown like any other; the sleep ends it.
final class SoftLeases: Rule {
  static let name = "soft-leases"
  private(set) var sightings = 0
  private var sleeper: AppID?

  func event(_ event: Event?, _ ledger: Ledger) throws(Violation) {
    sleeper = nil
    guard case .frozen(let app, _) = event, let record = ledger[app], record.registration.sleepsByItself
    else {
      return
    }
    if record.holds(record.wake, at: ledger.now) || record.holds(record.keepAliveRun, at: ledger.now) {
      sleeper = app
    }
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    for snapshot in step.snapshots {
      guard let record = ledger[snapshot.id], record.registration.sleepsByItself, record.isStaying else {
        continue
      }
      try check(snapshot, kind: record.wake?.kind ?? .wake, lease: record.wake, in: ledger)
      try check(snapshot, kind: .keepalive, lease: record.keepAliveRun, in: ledger)
      if snapshot.id == sleeper, record.hold == .frozen { sightings += 1 }
    }
  }

  private func check(_ shown: Snapshot, kind: LeaseKind, lease: Record.Lease?, in ledger: Ledger)
    throws(Violation)
  {
    let isShown = shown.leases.contains { $0.kind == kind }
    let isHeld = ledger[shown.id]?.holds(lease, at: ledger.now) == true
    try require(isShown == isHeld, "\(shown.id) shows \(shown.leases), and holds \(kind) is \(isHeld)")
  }
}
