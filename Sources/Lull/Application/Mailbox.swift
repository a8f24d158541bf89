internal import Synchronization

/// The way into an application from any thread. The application itself belongs to the thread of its loop; its
/// mailbox may be handed to every other one.
public final class Mailbox: Sendable {
  /// A piece of work for the loop.
  public typealias Work = @Sendable (Application) -> Void

  private struct State {
    var isOpen = true
    var work: [Work] = []
    /// Events for other threads.
    var (came, taken) = (0, 0)
  }

  private let state = Mutex(State())
  private let loopSignal: LoopSignal

  init(_ loopSignal: LoopSignal) { self.loopSignal = loopSignal }

  /// Runs `work` in the application's loop, in the order in which it was posted.
  ///
  /// The work of an application that has ended is dropped. A posted piece of work wakes no program: when the
  /// program falls asleep before, the work is done at its next wake. To stay awake for it, hold a
  /// ``BackgroundTask``.
  public func post(_ work: @escaping Work) {
    let isFirst = state.withLock { state in
      guard state.isOpen else { return false }
      state.work.append(work)
      return state.work.count == 1
    }
    if isFirst { loopSignal.ring() }
  }

  /// As ``Application/finishedHandlingWake()``, from the thread that has handled the wake.
  ///
  /// When an event came meanwhile for another thread, which has not taken it yet, the word is void: the
  /// thread that takes the event gives it again.
  public func finishedHandlingWake() {
    let taken = state.withLock { $0.taken }
    post { application in
      let came = application.mailbox.state.withLock { $0.came }
      if came == taken { application.finishedHandlingWake() }
    }
  }

  var hasWork: Bool { state.withLock { !$0.work.isEmpty } }

  func takeWork() -> [Work] {
    state.withLock { state in
      defer { state.work.removeAll() }
      return state.work
    }
  }

  func close() {
    state.withLock { $0.isOpen = false }
    // What the work holds ends outside of the lock, because it may post.
    _ = takeWork()
  }

  /// An event is about to come that another thread is to take.
  package func eventCame() { state.withLock { $0.came += 1 } }

  /// Another thread has taken events, or nobody will.
  package func eventsTaken(_ count: Int = 1) { state.withLock { $0.taken += count } }
}

extension Application {
  /// Runs `work` in the loop, in a later turn. On another thread, post to the ``mailbox``.
  public func post(_ work: @escaping @Sendable () -> Void) { mailbox.post { _ in work() } }
}
