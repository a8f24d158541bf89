public import Lull
internal import Synchronization

extension Mailbox {
  /// Does `work` in the application's loop, and returns its result to the task.
  ///
  /// - Throws: what `work` throws; `LullError.ended` when the application has ended or ends before;
  ///   `CancellationError` when the task is cancelled before.
  nonisolated(nonsending) public func perform<Value: Sendable>(
    _ work: @escaping @Sendable (Application) throws -> Value
  ) async throws -> Value {
    let delivery = AwaitedValue<Value>()
    return try await delivery.value {
      let errand = Errand(delivery)
      post { application in
        guard !errand.delivery.isOver else { return }
        errand.delivery.deliver(Result { try work(application) })
      }
    }
  }
}

/// Work on its way to the loop. When it is dropped undone, its task is told.
final class Errand<Value: Sendable>: Sendable {
  let delivery: AwaitedValue<Value>

  init(_ delivery: AwaitedValue<Value>) { self.delivery = delivery }

  deinit { delivery.deliver(.failure(LullError.ended)) }
}

/// A value that one task waits for, and that is delivered once. Work that is dropped, because its application
/// has ended, delivers `LullError.ended` in place of it.
final class AwaitedValue<Value: Sendable>: Sendable {
  private enum State {
    case idle
    case awaited(CheckedContinuation<Value, any Error>)
    case over(Result<Value, any Error>)
  }

  private let state = Mutex(State.idle)

  var isOver: Bool { state.withLock { if case .over = $0 { true } else { false } } }

  /// `begin` is called once, and hands the delivery to the maker of the value.
  ///
  /// Throws the error that is delivered, and `CancellationError` for a task that is cancelled.
  nonisolated(nonsending) func value(begin: () -> Void) async throws -> Value {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let result: Result<Value, any Error>? = state.withLock { state in
          if case .over(let result) = state { return result }
          state = .awaited(continuation)
          return nil
        }
        if let result { return continuation.resume(with: result) }
        begin()
      }
    } onCancel: {
      deliver(.failure(CancellationError()))
    }
  }

  /// Does nothing the second time.
  func deliver(_ result: Result<Value, any Error>) {
    let last = state.withLock { state in
      defer { if case .over = state {} else { state = .over(result) } }
      return state
    }
    if case .awaited(let continuation) = last { continuation.resume(with: result) }
  }
}
