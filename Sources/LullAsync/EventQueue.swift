internal import Lull
internal import Synchronization

/// The events of a stream between the loop, which adds them, and the tasks that take them. At most one holds
/// bytes: the stream is not read while nobody takes them.
final class EventQueue: Sendable {
  typealias Event = AsyncVoIPStream.Event

  private struct State {
    var events: [Event] = []
    var consumers: [(number: UInt64, continuation: CheckedContinuation<Event?, Never>)] = []
    var lastNumber: UInt64 = 0
    /// The bytes of this stream wait for room here.
    var paused: UInt64?
    var isFinished = false
  }

  private let mailbox: Mailbox
  private let state = Mutex(State())

  init(_ mailbox: Mailbox) { self.mailbox = mailbox }

  deinit { mailbox.eventsTaken(state.withLock { $0.events.count }) }

  // MARK: The loop's side

  func add(_ event: Event) {
    mailbox.eventCame()
    let consumer = state.withLock { state -> CheckedContinuation<Event?, Never>? in
      guard state.consumers.isEmpty else { return state.consumers.removeFirst().continuation }
      state.events.append(event)
      return nil
    }
    guard let consumer else { return }
    mailbox.eventsTaken()
    consumer.resume(returning: event)
  }

  /// When bytes wait here already, the stream goes on once they are taken.
  func isFull(for stream: UInt64) -> Bool {
    state.withLock { state in
      guard state.events.contains(where: \.hasBytes) else { return false }
      state.paused = stream
      return true
    }
  }

  /// The events that are there can still be taken.
  func finish() {
    let consumers = state.withLock { state in
      defer { state.consumers.removeAll() }
      state.isFinished = true
      return state.consumers
    }
    for consumer in consumers { consumer.continuation.resume(returning: nil) }
  }

  // MARK: The tasks' side

  /// Nil at the end, and for a task that is cancelled.
  nonisolated(nonsending) func next() async -> Event? {
    let number = state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        switch take(number, continuation) {
        case .nothing:
          // The race: a task that was cancelled before it stood in the list is not found there.
          if Task.isCancelled { cancel(number) }
        case .event(let event): continuation.resume(returning: event)
        case .end: continuation.resume(returning: nil)
        }
      }
    } onCancel: {
      cancel(number)
    }
  }

  private enum Take {
    case event(Event)
    case end
    case nothing
  }

  private func take(_ number: UInt64, _ continuation: CheckedContinuation<Event?, Never>) -> Take {
    let (take, paused) = state.withLock { state -> (Take, UInt64?) in
      guard !state.events.isEmpty else {
        guard !state.isFinished else { return (.end, nil) }
        state.consumers.append((number, continuation))
        return (.nothing, nil)
      }
      let event = state.events.removeFirst()
      guard event.hasBytes else { return (.event(event), nil) }
      return (.event(event), state.paused.take())
    }
    if case .event = take { mailbox.eventsTaken() }
    if let paused { mailbox.post { $0.stream(numbered: paused)?.isReadingPaused = false } }
    return take
  }

  private func cancel(_ number: UInt64) {
    let consumer = state.withLock { state in
      state.consumers.firstIndex { $0.number == number }.map { state.consumers.remove(at: $0) }
    }
    consumer?.continuation.resume(returning: nil)
  }
}
