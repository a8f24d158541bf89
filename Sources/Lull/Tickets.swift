internal import LullEngine

/// Which of the supervisor's tickets the program has handled.
///
/// `finished` holds for what was handled before it: the next event takes it back. It may come before the wake that
/// it answers, because a thawed program can read its bytes before the daemon's notice has arrived.
struct Tickets {
  private var highest: Ticket?
  private var isOwed = false
  private(set) var isFinished = false

  /// A ticket that `done` answers.
  mutating func received(_ ticket: Ticket) {
    highest = max(highest ?? ticket, ticket)
    isOwed = true
  }

  /// Something began that makes the supervisor forget what the last `done` said.
  mutating func began() {
    isOwed = highest != nil
  }

  mutating func finished() { isFinished = true }

  /// The program is about to be handed something.
  mutating func willHandle() { isFinished = false }

  /// The ticket that `done` would answer now; nil when the program has not finished or owes no answer.
  var payable: Ticket? { isFinished && isOwed ? highest : nil }

  mutating func paid() {
    isOwed = false
    isFinished = false
  }

  /// The supervisor was restarted: its tickets begin anew. What the program has finished stays finished.
  mutating func restart() {
    highest = nil
    isOwed = false
  }
}
