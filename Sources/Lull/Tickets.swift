internal import LullEngine

/// Which of the supervisor's tickets the program has handled.
///
/// `finished` holds for what was handled before it: the next event takes it back. It may come before the
/// notice of the wake that it answers, because a thawed program reads its bytes first. It must not answer a
/// later wake, which the program has not handled. The daemon's answer to a `done` tells the two apart: it
/// comes after the notice of every wake that was before the `done`.
struct Tickets {
  /// That the program has handled everything.
  private enum Word {
    /// Not given, or taken back by an event.
    case none
    /// To be told.
    case given
    /// Told with this ticket. A wake whose notice is read now was before it.
    case told(Ticket)
    /// The supervisor has heard it. It answers only a wake that brings nothing to be handled.
    case heard
  }

  private var highest: Ticket?
  private var isOwed = false
  private var word = Word.none

  /// A ticket that `done` answers.
  mutating func received(_ ticket: Ticket) {
    highest = max(highest ?? ticket, ticket)
    isOwed = true
  }

  /// The ticket of a wake, and whether the program's word answers it.
  mutating func woke(_ reason: WakeReason, _ ticket: Ticket) {
    received(ticket)
    switch (word, reason) {
    case (.none, _): break
    // The program learns of these from the notice alone.
    case (_, .operator), (_, .keepalive), (_, .notification), (_, .refill): word = .none
    case (_, .unfrozen), (.given, _), (.told, _): word = .given
    case (.heard, _): word = .none
    }
  }

  /// Something began that makes the supervisor forget what the last `done` said.
  mutating func began() {
    isOwed = highest != nil
  }

  mutating func finished() { word = .given }

  /// The program is about to be handed something.
  mutating func willHandle() { word = .none }

  /// The handlers were suspended: every wake of before is known.
  mutating func slept() { settle() }

  /// The ticket that `done` would answer now; nil when the program has not finished or owes no answer.
  ///
  /// `evenUnowed`: the last ticket again, so that the answer tells which wakes the word is too old for. That
  /// matters where the application does not see that the program is handed something.
  func payable(evenUnowed: @autoclosure () -> Bool = false) -> Ticket? {
    guard case .given = word, isOwed || evenUnowed() else { return nil }
    return highest
  }

  mutating func paid() {
    isOwed = false
    if let highest { word = .told(highest) }
  }

  /// The supervisor has heard `done`.
  mutating func heard(_ ticket: Ticket) {
    if case .told(ticket) = word { word = .heard }
  }

  /// The supervisor was restarted: its tickets begin anew. What the program has finished stays finished.
  mutating func restart() {
    highest = nil
    isOwed = false
    settle()
  }

  private mutating func settle() {
    if case .none = word { return }
    word = .heard
  }
}
