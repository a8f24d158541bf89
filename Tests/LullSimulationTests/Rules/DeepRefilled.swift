import LullEngine

/// "Its program sleeps while its music plays, and is woken with reason `refill` when fewer frames than this
/// are left": at once when it sleeps, and when it falls asleep without having filled the buffer. What was not
/// heard for ten minutes is filled no more, and what is held needs nothing.
final class DeepRefilled: Rule {
  static let name = "deep-refilled"
  private(set) var sightings = 0
  /// Buffers that run low and were not filled, whose program has not been woken for them.
  private var low: [SessionID: AppID] = [:]
  private var due: AppID?
  private var mustNot: AppID?

  func event(_ event: Event, _ ledger: Ledger) throws(Violation) {
    (due, mustNot) = (nil, nil)
    switch event {
    case .sound(let app, let session, .low): ranLow(app, session, ledger)
    case .sound(_, let session, .filled), .sound(_, let session, .ended): low[session] = nil
    case .frozen(let app, let ticket):
      guard let record = ledger[app], record.isStaying, case .freezing(ticket, _) = record.hold,
        !record.isOnTrial
      else { return }
      for sound in record.sounds
      where low[sound.id] != nil && sound.isWorthFilling(at: ledger.now, ledger.policy) {
        due = app
        low[sound.id] = nil
      }
      if due == nil { mustNot = app }
    default: break
    }
  }

  private func ranLow(_ app: AppID, _ session: SessionID, _ ledger: Ledger) {
    guard let record = ledger[app], !record.isKilled,
      let sound = record.sounds.first(where: { $0.id == session }), sound.session.isDeep
    else { return }
    guard record.isHeld else { return low[session] = app }
    if sound.isWorthFilling(at: ledger.now, ledger.policy) {
      due = app
      low[session] = nil
    } else {
      low[session] = app
      mustNot = app
    }
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    switch effect {
    case .woke(let app, let wake, _) where wake.reason == .refill:
      try require(app != mustNot, "\(app) is woken for a buffer that needs nothing")
      if app == due {
        due = nil
        sightings += 1
      }
    case .note(let app?, .interrupted(let session, .ended(shouldResume: true))):
      if ledger[app]?.isHeld == true { low[session] = nil }
    case .note(_, .sessionEnded(let session)): low[session] = nil
    default: break
    }
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    if let due { try require(false, "\(due): a buffer runs low and its program is not woken") }
  }
}
