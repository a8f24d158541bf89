import LullEngine

/// A program in the background gets a smaller share of the machine, unless it plays, records or is in a call:
/// sound must not stutter.
final class WeightsFit: Rule {
  static let name = "weights-fit"
  /// The programs that play something which nobody hears.
  private(set) var sightings = 0
  private var weights: [AppID: ProgramWeight] = [:]

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    switch effect {
    case .weigh(let app, let weight):
      try require(weights[app] ?? .full != weight, "\(app) gets the share that it has")
      weights[app] = weight
    case .forget(let app): weights[app] = nil
    default: break
    }
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    guard ledger.policy.processes != nil else { return }
    for snapshot in step.snapshots {
      guard let record = ledger[snapshot.id], record.isStaying, !record.registration.isUnmanaged else {
        continue
      }
      let isHeard = !record.soundLeases(at: ledger.now).isEmpty
      let plays = record.sounds.contains(where: \.isRunning)
      let due: ProgramWeight = record.isBehind && !isHeard && !plays ? .low : .full
      try require(weights[record.id] ?? .full == due, "\(record.id) should have its \(due) share")
      if record.isBehind, plays, !isHeard { sightings += 1 }
    }
  }
}
