import LullEngine

/// "state, leases, lines, last wake, keep-alive, time asleep, wakes": the output of `status` is what
/// happened.
final class ViewsAgree: Rule {
  static let name = "views-agree"

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    for snapshot in step.snapshots {
      guard let record = ledger[snapshot.id] else { continue }
      try compare(snapshot, with: record, in: ledger)
    }
  }

  private func compare(_ shown: Snapshot, with record: Record, in ledger: Ledger) throws(Violation) {
    let (id, now) = (shown.id, ledger.now)
    try require(shown.state == record.state, "\(id) is \(record.state) and shows \(shown.state)")
    let isFreezing = if case .freezing = record.hold { true } else { false }
    try require(shown.isFreezing == isFreezing, "\(id): freezing is \(isFreezing), not \(shown.isFreezing)")
    try require(
      (shown.state == .suspended) == (record.hold == .frozen),
      "\(id) shows \(shown.state) and is \(record.hold)")
    if shown.state == .suspended, record.isStaying {
      try require(shown.leases.isEmpty, "\(id) sleeps with \(shown.leases)")
    }
    try require(shown.tasks == record.tasks.map(\.id), "\(id) shows \(shown.tasks)")
    try require(shown.lines == record.lines.map(\.id), "\(id) shows \(shown.lines)")
    try require(shown.wakes == record.wakeCount, "\(id): \(record.wakeCount) wakes, not \(shown.wakes)")
    let asleep = record.asleep + (record.asleepSince.map { now - $0 } ?? .zero)
    try require(shown.asleep == asleep, "\(id) slept \(asleep.seconds) s and shows \(shown.asleep.seconds) s")
    try require(
      shown.asleep + shown.awake == now - record.registeredAt, "\(id): its times do not add up to its life")
    guard record.isStaying else { return }
    let window = record.opens(ledger.policy).flatMap { opens in
      record.due(ledger.policy).map { Snapshot.Window(opens: opens, due: $0) }
    }
    try require(
      shown.keepAlive == window,
      "\(id): its window is \(String(describing: window)), not \(String(describing: shown.keepAlive))")
  }
}
