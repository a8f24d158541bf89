import LullEngine

/// "Delivered once, in its latest state, at the thaw": a program that is awake knows what holds, and a
/// program that sleeps is told nothing. A session is told `began` and `ended` in turn; `began` is never told
/// twice without `ended`.
final class InterruptionsOnce: Rule {
  static let name = "interruptions-once"
  private(set) var sightings = 0

  private struct Knowledge {
    var isInterrupted = false
    var untold: Interruption?
    var wasTold = false
    var sleptThrough = false
  }
  private var known: [SessionID: Knowledge] = [:]

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    switch effect {
    case .note(let app?, .interrupted(let session, let change)):
      var knowledge = known[session] ?? Knowledge()
      try require(
        knowledge.isInterrupted == (change != .began), "session \(session.number) is \(change) out of turn")
      knowledge.isInterrupted = change == .began
      knowledge.untold = change
      if ledger[app]?.isHeld == true { knowledge.sleptThrough = true }
      known[session] = knowledge
    case .interruption(let app, let session, let change):
      try told(app, session: session, change: change, in: ledger)
    case .woke(let app, _, _), .runKeepAlive(let app, _): try check(ledger[app])
    case .note(_, .sessionEnded(let session)): known[session] = nil
    default: break
    }
  }

  private func told(_ app: AppID, session: SessionID, change: Interruption, in ledger: Ledger)
    throws(Violation)
  {
    try require(
      ledger[app]?.sounds.contains { $0.id == session } == true,
      "session \(session.number) is no session of \(app)")
    var knowledge = known[session] ?? Knowledge()
    try require(knowledge.untold == change, "\(app) is told \(change) and that is not the latest")
    try require(
      change != .began || !knowledge.wasTold, "\(app) is told twice that session \(session.number) began")
    knowledge.untold = nil
    knowledge.wasTold = change == .began
    if knowledge.sleptThrough { sightings += 1 }
    knowledge.sleptThrough = false
    known[session] = knowledge
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    for snapshot in step.snapshots {
      if let record = ledger[snapshot.id], !record.isHeld { try check(record) }
    }
  }

  /// Checks that a program that is awake has been told, unless it knows already.
  private func check(_ record: Record?) throws(Violation) {
    for sound in record?.sounds ?? [] {
      guard let knowledge = known[sound.id], let untold = knowledge.untold else { continue }
      let isOldNews = untold == .began && knowledge.wasTold
      try require(isOldNews, "session \(sound.id.number) was not told of \(untold)")
    }
  }
}
