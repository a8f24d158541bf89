import LullEngine

/// "Its program sleeps while its music plays, and is woken with reason `refill` when fewer frames than this
/// are left": at once when the program sleeps, and when it falls asleep without having filled the buffer. A
/// buffer without audible sound is filled for ten minutes, and so that the program sleeps most of the time. A
/// buffer that is held needs nothing.
final class DeepRefilled: Rule {
  static let name = "deep-refilled"
  private(set) var sightings = 0
  /// Buffers that run low and were not filled, and whose program has not been woken to fill them.
  private var low: [SessionID: AppID] = [:]
  private var due: AppID?
  private var mustNot: AppID?
  /// Programs whose wake was put off.
  private var owed: Set<AppID> = []
  /// The program whose wake was put off and that is thawed in this step.
  private var thawed: AppID?

  func event(_ event: Event?, _ ledger: Ledger) throws(Violation) {
    (due, mustNot, thawed) = (nil, nil, nil)
    switch event {
    case .sound(let app, let session, .low): ranLow(app, session: session, in: ledger)
    case .sound(_, let session, .filled), .sound(_, let session, .ended): low[session] = nil
    case .frozen(let app, let ticket):
      guard let record = ledger[app], record.isStaying, case .freezing(ticket, _) = record.hold,
        !record.isOnTrial
      else { return }
      let needs = record.sounds.filter { low[$0.id] != nil && $0.order != .hold }
      needsWake(record, sounds: needs, in: ledger)
      if needs.isEmpty { mustNot = app }
    default: break
    }
  }

  private func ranLow(_ app: AppID, session: SessionID, in ledger: Ledger) {
    guard let record = ledger[app], !record.isKilled,
      let sound = record.sounds.first(where: { $0.id == session }), sound.session.isDeep
    else { return }
    low[session] = app
    if record.isHeld, sound.order != .hold { needsWake(record, sounds: [sound], in: ledger) }
  }

  private func needsWake(_ record: Record, sounds: [Record.Sound], in ledger: Ledger) {
    guard !sounds.isEmpty else { return }
    guard record.isWorthHearing(at: ledger.now, ledger.policy) else { return mustNot = record.id }
    guard record.mayRefill(at: ledger.now) else { return _ = owed.insert(record.id) }
    due = record.id
    for sound in sounds { low[sound.id] = nil }
  }

  /// A sleeper whose sound goes on is woken to fill its buffer, unless that is put off.
  private func goesOn(_ record: Record, session: SessionID, in ledger: Ledger) {
    let isPutOff = record.isWorthHearing(at: ledger.now, ledger.policy) && !record.mayRefill(at: ledger.now)
    let isDeep = record.sounds.first { $0.id == session }?.session.isDeep == true
    low[session] = isPutOff && isDeep ? record.id : nil
    if low[session] != nil { owed.insert(record.id) }
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    switch effect {
    case .woke(let app, let wake, _) where wake.reason == .refill:
      try require(app != mustNot, "\(app) is woken for a buffer that needs nothing")
      if app == due {
        due = nil
        sightings += 1
      } else if app == thawed, let record = ledger[app], !record.soundHolds(at: ledger.now) {
        for sound in record.sounds where sound.order != .hold { low[sound.id] = nil }
      }
    case .thaw(let app): thawed = owed.remove(app)
    case .note(let app?, .interrupted(let session, .ended(shouldResume: true))):
      if let record = ledger[app], record.isHeld { goesOn(record, session: session, in: ledger) }
    case .note(_, .sessionEnded(let session)): low[session] = nil
    default: break
    }
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    if let due { try require(false, "\(due): a buffer runs low and its program is not woken") }
    guard !owed.isEmpty else { return }
    for app in owed {
      guard let record = ledger[app], record.isStaying else {
        owed.remove(app)
        continue
      }
      let isLate = record.hold == .frozen && record.refill.next <= ledger.now
      guard isLate else { continue }
      owed.remove(app)
      let isNeeded = record.sounds.contains { low[$0.id] == app && $0.order != .hold }
      try require(
        !isNeeded || !record.isWorthHearing(at: ledger.now, ledger.policy),
        "\(app): a wake that was put off is forgotten")
    }
  }
}
