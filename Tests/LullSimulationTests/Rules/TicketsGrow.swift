import LullEngine

/// "Every effect whose answer comes later carries a ticket and a stale answer is ignored". No ticket is used
/// twice. A keep-alive has another ticket than the wake for it, or the `done` to that wake would end the
/// keep-alive.
final class TicketsGrow: Rule {
  static let name = "tickets-grow"
  private var last = Ticket(0)

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    switch effect {
    case .freeze(_, let ticket), .deliver(_, _, let ticket), .woke(_, _, let ticket),
      .runKeepAlive(_, let ticket), .action(_, _, _, let ticket),
      .open(_, _, let ticket), .measure(_, let ticket):
      try take(ticket)
    default: break
    }
  }

  private func take(_ ticket: Ticket) throws(Violation) {
    try require(ticket > last, "\(ticket) after \(last)")
    last = ticket
  }
}
