/// The delegate messages on their way to a program: one is sent at a time, the rest wait.
struct DelegateMail: Sendable {
  struct Outstanding: Sendable {
    let message: DelegateMessage
    let ticket: Ticket
    /// A program that has not returned at the limit is killed.
    var limit: Moment
  }

  private(set) var outstanding: Outstanding?
  private(set) var queue: [DelegateMessage] = []

  var isEmpty: Bool { outstanding == nil && queue.isEmpty }

  mutating func enqueue(_ messages: [DelegateMessage]) { queue.append(contentsOf: messages) }

  mutating func replaceQueue(with messages: [DelegateMessage]) { queue = messages }

  mutating func drop(_ message: DelegateMessage) { queue.removeAll { $0 == message } }

  mutating func standStill(_ time: Interval) {
    if let limit = outstanding?.limit { outstanding?.limit = limit + time }
  }

  mutating func clear() { self = DelegateMail() }

  mutating func next() -> DelegateMessage? {
    guard outstanding == nil, !queue.isEmpty else { return nil }
    return queue.removeFirst()
  }

  mutating func sent(_ message: DelegateMessage, ticket: Ticket, limit: Moment) {
    outstanding = Outstanding(message: message, ticket: ticket, limit: limit)
  }

  mutating func returned(_ ticket: Ticket) -> DelegateMessage? {
    guard let out = outstanding, out.ticket == ticket else { return nil }
    outstanding = nil
    return out.message
  }
}
