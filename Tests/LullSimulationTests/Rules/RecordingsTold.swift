import LullEngine

/// "When a program in the background begins to record, a notice says so", unless the user has allowed it. He
/// is not asked twice at once, and what he has denied records nothing.
final class RecordingsTold: Rule {
  static let name = "recordings-told"
  private(set) var sightings = 0
  /// The questions that the user has not answered, and the names of their programs.
  private var asked: [NotificationID: String] = [:]
  private var recording: Set<AppID> = []

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    switch effect {
    case .show(let id, let program, let content) where content.otherAction != nil:
      try require(ledger.recordings[program] != .allowed, "\(program) is allowed, and the user is asked")
      try require(!asked.values.contains(program), "the user is asked twice about \(program)")
      asked[id] = program
      sightings += 1
    case .withdraw(let id): asked[id] = nil
    default: break
    }
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    for snapshot in step.snapshots {
      guard let record = ledger[snapshot.id], record.isStaying else { continue }
      let (name, holds) = (record.registration.name, snapshot.leases.contains { $0.kind == .recording })
      try require(!record.isRecordingDenied || !holds, "\(name) may not record, and does")
      let isNew = record.isBehind && holds && !recording.contains(record.id)
      try require(
        !isNew || ledger.recordings[name] == .allowed || asked.values.contains(name),
        "\(name) records, and nobody is told")
      if record.isBehind && holds { recording.insert(record.id) } else { recording.remove(record.id) }
    }
  }
}
