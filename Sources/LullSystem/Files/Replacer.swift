/// Replaces a file as a whole by a worker, so that a slow or full disk holds up nobody. A start after a crash
/// finds the old bytes or the new ones. The file is the owner's alone (0600).
package final class Replacer: Sendable {
  private struct State {
    /// Newer bytes take the place of older ones.
    var waiting: [UInt8]?
    var isWriting = false
    var failure: SystemError?
  }

  private let worker: Worker
  private let path: String
  private let state: Monitor<State>

  package init(path: String, by worker: Worker = Worker()) {
    (self.path, self.worker) = (path, worker)
    state = Monitor(State())
  }

  deinit { finish() }

  /// The whole file is written soon. EAGAIN: there is no thread.
  package func replace(with bytes: [UInt8]) throws(SystemError) {
    let isFirst = state.change { state in
      defer { state.waiting = bytes }
      return state.waiting == nil
    }
    guard isFirst else { return }
    do {
      try worker.perform { [state, path] in Self.write(state, path) }
    } catch {
      state.change { $0.waiting = nil }
      throw error
    }
  }

  private static func write(_ state: Monitor<State>, _ path: String) {
    let bytes = state.change { state in
      state.isWriting = true
      return state.waiting.take()
    }
    var failure: SystemError?
    do throws(SystemError) {
      try Files.replace(path, with: bytes ?? [], durably: true)
    } catch {
      failure = error
    }
    state.change { state in
      (state.isWriting, state.failure) = (false, failure)
    }
  }

  /// The failure of the last try since the last call.
  package func takeFailure() -> SystemError? { state.change { $0.failure.take() } }

  package var isBusy: Bool { state.read { $0.isWriting || $0.waiting != nil } }

  /// Waits until everything is written or has failed, for a second at most.
  package func finish() { worker.finish(milliseconds: Appender.ending) }
}
