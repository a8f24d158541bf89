import LullChannel
import LullEngine
import LullSystem

/// A small file in the state directory that is replaced as a whole by a worker, at most once a second.
/// A write that fails is tried again. Moments are nanoseconds of CLOCK_BOOTTIME.
final class StateFile {
  private enum State {
    case written
    case stale(at: Int64)
    /// At this moment the worker is asked whether the bytes are written.
    case handedOver(check: Int64)
  }

  private let policy = SupervisionPolicy()
  private let directory: String
  private let path: String
  private let worker: Worker
  private let failed: (SystemError) -> Void
  private var replacer: Replacer?
  private var state = State.written
  private var mayWriteAt: Int64 = .min
  /// The first failure of several in a row, until a write succeeds.
  private(set) var failure: SystemError?

  private(set) var isAwaited = false

  /// `failed` is told the first failure of several in a row.
  init(
    _ name: String, in directory: String, by worker: Worker, failed: @escaping (SystemError) -> Void
  ) {
    (self.directory, self.worker, self.failed) = (directory, worker, failed)
    path = "\(directory)/\(name)"
  }

  var deadline: Int64? {
    switch state {
    case .written: nil
    case .stale(let moment), .handedOver(let moment): moment
    }
  }

  /// `atOnce`: somebody waits until the file is written.
  func changed(atOnce: Bool = false) {
    if atOnce { return (state, isAwaited) = (.stale(at: .min), true) }
    if case .stale = state { return }
    state = .stale(at: mayWriteAt)
  }

  func work(at now: Int64, _ bytes: () -> [UInt8]) {
    guard let deadline, deadline <= now else { return }
    // The race: a write that fails between the two questions must not count as done.
    let isBusy = replacer?.isBusy == true
    if let failure = replacer?.takeFailure() { return note(failure, at: now) }
    guard case .handedOver = state else { return handOver(at: now, bytes()) }
    if isBusy {
      state = .handedOver(check: now + policy.filePace.nanoseconds)
    } else {
      (state, failure, isAwaited) = (.written, nil, false)
    }
  }

  /// Waits for a second at most: the daemon ends.
  func finish(_ bytes: () -> [UInt8]) {
    if case .written = state { return }
    if let failure = replacer?.takeFailure() { note(failure, at: mayWriteAt) }
    handOver(at: mayWriteAt, bytes())
    replacer?.finish()
    if let failure = replacer?.takeFailure() { note(failure, at: mayWriteAt) }
  }

  private func handOver(at now: Int64, _ bytes: [UInt8]) {
    do throws(SystemError) {
      try opened().replace(with: bytes)
      mayWriteAt = now &+ policy.filePace.nanoseconds
      state = .handedOver(check: now &+ policy.fileFirstLook.nanoseconds)
    } catch {
      note(error, at: now)
    }
  }

  private func opened() throws(SystemError) -> Replacer {
    if let replacer { return replacer }
    try StateDirectory.ensure(directory)
    let replacer = Replacer(path: path, by: worker)
    self.replacer = replacer
    return replacer
  }

  private func note(_ failure: SystemError, at now: Int64) {
    mayWriteAt = now &+ policy.fileRetry.nanoseconds
    state = .stale(at: mayWriteAt)
    guard self.failure == nil else { return }
    self.failure = failure
    failed(failure)
  }
}
