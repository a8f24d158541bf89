import LullEngine

/// "Run time after a wake: 10 s; grace after a lost connection: 60 s; finite-length tasks: 600 s or 180 s."
/// The leases that `why` prints are those that the trace gave out, and each ends when it must.
final class LeaseTimes: Rule {
  static let name = "lease-times"

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    for snapshot in step.snapshots {
      guard let record = ledger[snapshot.id] else { continue }
      if record.isStaying {
        let expected = expectation(record, ledger)
        let shown = snapshot.leases.filter { $0.kind != .launching && $0.kind != .transition }
        try require(shown == expected, "\(snapshot.id) shows \(shown), not \(expected)")
      }
      let passing = snapshot.leases.first { $0.kind == .launching || $0.kind == .transition }?.kind
      let isPassing = record.message != nil || !record.isStaying
      let kind: LeaseKind? = isPassing ? (record.isLaunched ? .transition : .launching) : nil
      try require(
        passing == kind,
        "\(snapshot.id) shows \(String(describing: passing)), not \(String(describing: kind))")
    }
  }

  private func expectation(_ record: Record, _ ledger: Ledger) -> [Snapshot.Hold] {
    var held: [Snapshot.Hold] = []
    if let wake = record.wake, wake.ends > ledger.now, wake.kind == .wake {
      held.append(Snapshot.Hold(kind: .wake, ends: wake.ends))
    }
    if let run = record.keepAliveRun, run.ends > ledger.now {
      held.append(Snapshot.Hold(kind: .keepalive, ends: run.ends))
    }
    if record.state == .background, !record.tasks.isEmpty {
      held.append(Snapshot.Hold(kind: .task, ends: record.stayEnds))
    }
    held += record.soundLeases(at: ledger.now)
    if let wake = record.wake, wake.ends > ledger.now, wake.kind == .refill {
      held.append(Snapshot.Hold(kind: .refill, ends: wake.ends))
    }
    return held
  }
}
