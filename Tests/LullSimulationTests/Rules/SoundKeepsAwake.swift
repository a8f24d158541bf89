import LullEngine

/// "A program stays resident while what it plays can be heard", in the start grace, while it records and in a
/// call: it is neither asked to sleep nor left asleep. The half millisecond of a command's trial cannot be
/// heard.
final class SoundKeepsAwake: Rule {
  static let name = "sound-keeps-awake"
  private(set) var sightings = 0
  /// The program whose sound began while it was on its way to sleep, or slept.
  private var isSudden: AppID?

  func event(_ event: Event?, _ ledger: Ledger) throws(Violation) {
    isSudden = nil
    switch event {
    case .sound(let app, _, _), .audibility(let app, _, _): if ledger[app]?.isHeld == true { isSudden = app }
    default: break
    }
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    guard case .freeze(let app, _) = effect, let record = ledger[app] else { return }
    try check(record, "asked to sleep", in: ledger)
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    if let isSudden, let record = ledger[isSudden], !record.isHeld, record.soundHolds(at: ledger.now) {
      sightings += 1
    }
    for snapshot in step.snapshots {
      guard let record = ledger[snapshot.id], record.isHeld else { continue }
      try check(record, "\(record.hold)", in: ledger)
    }
  }

  private func check(_ record: Record, _ what: String, in ledger: Ledger) throws(Violation) {
    guard record.soundHolds(at: ledger.now) else { return }
    try require(false, "\(record.id) is \(what) with \(record.soundLeases(at: ledger.now))")
  }
}
