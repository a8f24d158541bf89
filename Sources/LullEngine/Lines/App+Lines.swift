extension App.HeldLine {
  /// The line woke the program, which now sees what arrived.
  mutating func wasReal(at now: Moment) {
    lastReal = now
    answers.isNews = true
  }
}

extension App {
  /// The lines are in the order of their ids.
  func place(of line: LineID) -> Int? {
    let place = lines.firstPlace { $0.id >= line }
    return place < lines.count && lines[place].id == line ? place : nil
  }

  /// The id may be smaller than those of the others: ids begin again at their end.
  mutating func insert(_ line: HeldLine) { lines.insert(line, at: lines.firstPlace { $0.id >= line.id }) }

  func mayAnswer(_ line: HeldLine, _ turn: Turn) -> Bool {
    isAsleep && isAtMessageBoundary && turn.now - line.lastReal < turn.policy.offloadLimit
      && !line.answers.isSpent(at: turn.now, most: turn.policy.answersPerPeriod, policy: turn.policy)
  }

  /// A new connection is at a message boundary by itself.
  func mayAnswerProbe(_ line: HeldLine, _ turn: Turn) -> Bool {
    isAsleep && !registration.settings.probes.isEmpty
      && turn.now - line.lastReal < turn.policy.offloadLimit
      && !line.answers.isSpent(at: turn.now, most: turn.policy.probesPerPeriod, policy: turn.policy)
  }

  /// The journal names the first answered ping only: peers ping for as long as the program sleeps.
  mutating func pingAnswered(_ line: LineID, _ turn: inout Turn) {
    guard let index = place(of: line) else { return }
    if lines[index].answers.isNews { turn.note(id, .pingAnswered(line)) }
    lines[index].answers.add(at: turn.now, policy: turn.policy)
  }
}

struct AnsweredPings: Sendable {
  private(set) var count = 0
  /// No ping has been answered since the line last woke the program.
  var isNews = true
  private var periodBegan: Moment?
  private var inPeriod = 0

  func isSpent(at now: Moment, most: Int, policy: Policy) -> Bool {
    guard let periodBegan, now - periodBegan < policy.answerPeriod else { return false }
    return inPeriod >= most
  }

  mutating func add(at now: Moment, policy: Policy) {
    count += 1
    isNews = false
    if let periodBegan, now - periodBegan < policy.answerPeriod {
      inPeriod += 1
    } else {
      (periodBegan, inPeriod) = (now, 1)
    }
  }
}
