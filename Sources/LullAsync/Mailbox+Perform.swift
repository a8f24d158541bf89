public import Lull

extension Mailbox {
  /// Does `work` in the application's loop, and returns its result to the task.
  ///
  /// - Throws: what `work` throws; `LullError.ended` when the application has ended or ends before;
  ///   `CancellationError` when the task is cancelled before.
  nonisolated(nonsending) public func perform<Value: Sendable>(
    _ work: @escaping @Sendable (Application) throws -> Value
  ) async throws -> Value {
    let delivery = Delivery<Value>()
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
  let delivery: Delivery<Value>

  init(_ delivery: Delivery<Value>) { self.delivery = delivery }

  deinit { delivery.deliver(.failure(LullError.ended)) }
}
