import LullEngine

/// "At least one real ping every 600 s reaches the program." A ping is answered for a program only while the
/// program sleeps by its own `done`, no longer than the limit after the line's last real wake and no more
/// often than so many times in a period. Then it is always answered so.
final class OffloadLimit: Rule {
  static let name = "offload-limit"
  private var answerable: (app: AppID, line: LineID)?
  private var isAnswered = false

  func event(_ event: Event?, _ ledger: Ledger) throws(Violation) {
    answerable = nil
    isAnswered = false
    guard case .ready(let app, let id, .ping) = event, let record = ledger[app], record.isStaying,
      record.hold == .frozen, record.isAtMessageBoundary,
      let line = record.lines.first(where: { $0.id == id })
    else { return }
    if !line.offload.isEmpty, ledger.now - line.lastReal < ledger.policy.offloadLimit,
      !isSpent(line, ledger)
    {
      answerable = (app, id)
    }
  }

  /// True when the period has no answers left. A period begins with the first answer after the period before.
  private func isSpent(_ line: Record.Line, _ ledger: Ledger) -> Bool {
    let period = ledger.policy.answerPeriod
    var began = Moment(nanoseconds: .min), count = 0
    for answer in line.answers {
      if began == Moment(nanoseconds: .min) || answer - began >= period { (began, count) = (answer, 0) }
      count += 1
    }
    return count >= ledger.policy.answersPerPeriod && ledger.now - began < period
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    guard case .answerPing(let app, let line) = effect else { return }
    guard let answerable, answerable == (app, line) else {
      throw Violation(
        rule: Self.name, what: "\(app): a ping on \(line) is answered that the program must see")
    }
    isAnswered = true
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    guard let answerable else { return }
    try require(isAnswered, "\(answerable.app) is woken for a ping that could be answered for it")
  }
}
