import LullEngine

/// "Any readiness, before or after: thaw." A line with unread data, FIN or RST whose program is frozen or
/// being frozen leads to a thaw in the same step. Exempt are a ping that is answered for the program, and a
/// program that asked for batched wakes and is over its budget; the latter is woken at the end of its wait.
/// The end of a process wakes a parent that sleeps. A program that somebody else has thawed is awake.
final class NothingUnseen: Rule {
  static let name = "nothing-unseen"
  private var awaited: AppID?
  /// The wake that the readiness leads to.
  private var wake: (app: AppID, line: LineID?, reason: WakeReason)?

  func event(_ event: Event?, _ ledger: Ledger) throws(Violation) {
    awaited = nil
    wake = nil
    if case .childEnded(let app) = event, let record = ledger[app], record.isHeld, record.isStaying {
      awaited = app
      wake = (app, nil, .child)
    }
    if case .signalDue(let app) = event, let record = ledger[app], record.isHeld, record.isStaying,
      record.hold == .frozen
    {
      awaited = app
      wake = (app, nil, .signal)
    }
    if case .unfrozen(let app) = event, let record = ledger[app], record.isHeld, record.isStaying {
      awaited = app
      wake = (app, nil, .unfrozen)
    }
    guard case .ready(let app, let id, let readiness) = event, let record = ledger[app] else { return }
    guard record.isHeld, record.isStaying, let line = record.lines.first(where: { $0.id == id }) else {
      return
    }
    // Bytes wait with the bytes whose wake is put off already; the end of a connection does not.
    if record.delayedUntil != nil, readiness != .closed, readiness != .error { return }
    awaited = app
    wake = (app, id, reason(readiness, line.kind))
  }

  private func reason(_ readiness: LineReadiness, _ kind: LinePurpose) -> WakeReason {
    switch readiness {
    case .data, .ping: kind.wakeReason
    case .accept, .probe: .accept
    case .writable: .writable
    case .closed: .closed
    case .error: .error
    }
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    switch effect {
    case .thaw(let app) where app == awaited: awaited = nil
    case .woke(let app, let told, _):
      guard let wake, wake.app == app else { return }
      let isRight = told.reason == wake.reason && told.line == wake.line
      try require(isRight, "\(app) is told that it woke for \(told)")
      self.wake = nil
    case .answerPing(let app, _) where app == awaited:
      awaited = nil
      wake = nil
    case .note(let app?, .wakeDelayed(_, let wait)):
      guard let record = ledger[app] else { return }
      let end = try delayEnd(record, ledger)
      try require(ledger.now + wait == end, "\(app): the wake is put off to \(ledger.now + wait), not \(end)")
      if app == awaited {
        awaited = nil
        wake = nil
      }
    default: break
    }
  }

  private func delayEnd(_ record: Record, _ ledger: Ledger) throws(Violation) -> Moment {
    guard let batch = record.registration.settings.batchWakes, let last = record.wakes.last,
      record.isOverBudget(at: ledger.now, ledger.policy), last + batch > ledger.now
    else { throw Violation(rule: Self.name, what: "\(record.id): its wake may not be put off") }
    return last + batch
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    if let awaited { try require(false, "\(awaited) is not thawed for a line that is ready") }
    if let wake { try require(false, "\(wake.app) is thawed and not told why") }
    for program in step.starving {
      guard let record = ledger[program.app], record.isStaying else { continue }
      let waited = ledger.now - program.since
      let patience = program.patience + (record.registration.settings.batchWakes ?? .zero)
      try require(waited <= patience, "\(program.app): bytes unseen for \(waited.seconds) s")
    }
    guard step.isTick else { return }
    for case let record? in ledger.records where record.isStaying && record.hold == .frozen {
      guard let end = record.delayedUntil else { continue }
      try require(end > ledger.now, "\(record.id): a delayed wake did not come")
    }
  }
}
