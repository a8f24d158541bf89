import LullEngine

/// "Grace of 60 s when a connection that the program itself opened was lost": the command is thawed if it was
/// frozen, and no observation comes before the grace is over. A command that was asked to end has such a
/// grace to say goodbye, unless the operator suspends it or has it in the foreground meanwhile.
final class HeldUntilExpiry: Rule {
  static let name = "held-until-expiry"
  private(set) var sightings = 0
  private var ends: [AppID: Moment] = [:]
  private var bereft: AppID?

  func event(_ event: Event?, _ ledger: Ledger) throws(Violation) {
    bereft = nil
    switch event {
    case .ready(let app, let line, .closed), .ready(let app, let line, .error):
      if ledger[app]?.isHeld == true { lost(app, line: line, in: ledger) }
    case .lineLost(let app, let line):
      if ledger[app]?.lines.first(where: { $0.id == line })?.hasSlept == true {
        lost(app, line: line, in: ledger)
      }
    case .reconnect(let app, _):
      guard let record = ledger[app], record.registration.settings.modes.contains(.voip),
        record.state == .background || record.state == .suspended
      else { return }
      stays(record, ledger.now + ledger.policy.lostConnectionGrace)
    case .ending(let app):
      guard let record = ledger[app], record.state == .background || record.state == .suspended else {
        return
      }
      stays(record, ledger.now + ledger.policy.endingTime)
    case .stoodStill(let time): ends = ends.mapValues { $0 + time }
    default: break
    }
  }

  private func lost(_ app: AppID, line: LineID, in ledger: Ledger) {
    guard let record = ledger[app], record.lines.first(where: { $0.id == line })?.origin == .opened else {
      return
    }
    stays(record, ledger.now + ledger.policy.lostConnectionGrace)
  }

  private func stays(_ record: Record, _ end: Moment) {
    guard record.registration.sleepsByItself, record.isStaying else { return }
    ends[record.id] = max(end, ends[record.id] ?? end)
    bereft = record.id
  }

  func answer(_ answer: Engine.Answer, _ ledger: Ledger) throws(Violation) {
    switch answer {
    case .registered(let app, _): ends[app] = nil
    case .done:
      guard case .transition(let app, let command) = ledger.request else { return }
      if command == .suspend || command == .foreground { ends[app] = nil }
    default: break
    }
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    switch effect {
    case .freeze(let app, _):
      guard let end = ends.removeValue(forKey: app) else { return }
      try require(end <= ledger.now, "\(app) is frozen \((end - ledger.now).seconds) s before its grace ends")
      sightings += 1
    case .note(let app?, .left), .forget(let app): ends[app] = nil
    default: break
    }
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    guard let bereft, let record = ledger[bereft] else { return }
    try require(
      !record.isHeld, "\(bereft) lost a connection of its own, or was asked to end, and stays frozen")
  }
}
