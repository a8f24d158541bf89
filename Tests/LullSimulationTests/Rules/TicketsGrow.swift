import LullEngine

/// "Every effect whose answer comes later carries a ticket and a stale answer is ignored": no ticket is used
/// twice, except by a keep-alive and the wake for it, which one `done` ends.
final class TicketsGrow: Rule {
  static let name = "tickets-grow"
  private var last = Ticket(0)
  private var shared: Ticket?

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    switch effect {
    case .freeze(_, let ticket), .deliver(_, _, let ticket): try take(ticket)
    case .woke(_, let wake, let ticket):
      try take(ticket)
      if wake.reason == .keepalive { shared = ticket }
    case .runKeepAlive(_, let ticket):
      if ticket != shared { try take(ticket) }
      shared = nil
    default: break
    }
  }

  private func take(_ ticket: Ticket) throws(Violation) {
    try require(ticket > last, "\(ticket) after \(last)")
    last = ticket
  }
}
