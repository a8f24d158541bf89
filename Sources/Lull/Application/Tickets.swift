internal import LullEngine

/// The supervisor's tickets, and the program's word that it has handled them.
///
/// `finished` is the word for all that was handled before; the next event takes the word back. The word may
/// come before the notice of the wake that it answers, because an unfrozen program reads its bytes first. The
/// word must not answer a later wake, which the program has not handled. The daemon's answer to a `done`
/// tells the two apart: the answer comes after the notice of every wake before the `done`.
struct Tickets {
  private enum Word {
    /// The word is not given, or was taken back by an event.
    case none
    /// The word is given and not yet told.
    case given
    /// The word was told with this ticket. A wake whose notice is read now came before it.
    case told(Ticket)
    /// The supervisor has received the word. It answers only a wake that brings nothing to handle.
    case received
  }

  private var highest: Ticket?
  private var isOwed = false
  private var word = Word.none

  mutating func received(_ ticket: Ticket) {
    highest = max(highest ?? ticket, ticket)
    isOwed = true
  }

  /// Decides whether the program's word answers the wake.
  mutating func woke(_ reason: WakeReason, _ ticket: Ticket) {
    received(ticket)
    switch (word, reason) {
    // A fetch or a push is over with its result, and no `done` is waited for.
    case (.none, _), (_, .fetch), (_, .push): break
    // The program learns of these wakes from the notice alone.
    case (_, .operator), (_, .keepalive), (_, .notification), (_, .refill), (_, .network), (_, .resumed),
      (_, .lock):
      word = .none
    case (_, .unfrozen), (.given, _), (.told, _): word = .given
    case (.received, _): word = .none
    }
  }

  /// A task has begun, which makes the supervisor forget the last `done`.
  mutating func began() { isOwed = highest != nil }

  mutating func finished() { word = .given }

  /// An event takes the word back.
  mutating func willHandle() { word = .none }

  /// The handlers were suspended: the notice of every earlier wake has come.
  mutating func slept() { settle() }

  /// The ticket that `done` would answer now; nil when the program has not finished or owes no answer.
  ///
  /// `evenUnowed`: the last ticket again, so that the answer tells which wakes came after the word. That
  /// matters for lines that are read elsewhere, whose events the application does not see.
  func payable(evenUnowed: @autoclosure () -> Bool = false) -> Ticket? {
    guard case .given = word, isOwed || evenUnowed() else { return nil }
    return highest
  }

  /// The ticket whose `done` is to be taken back: the program has taken an event since, and a task or another
  /// thread handles it. Nil when the supervisor waits for a `done` already.
  var takenBack: Ticket? {
    guard case .none = word, !isOwed else { return nil }
    return highest
  }

  /// The supervisor waits for another `done`.
  mutating func tookBack() { isOwed = true }

  mutating func paid() {
    isOwed = false
    if let highest { word = .told(highest) }
  }

  mutating func doneReceived(_ ticket: Ticket) {
    if case .told(ticket) = word { word = .received }
  }

  /// The supervisor was restarted: its tickets begin anew. The program's word stays given.
  mutating func restart() {
    highest = nil
    isOwed = false
    settle()
  }

  private mutating func settle() {
    if case .none = word { return }
    word = .received
  }
}
