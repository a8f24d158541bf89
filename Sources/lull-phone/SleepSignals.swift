import Lull
import LullSystem

/// SIGINT and SIGTERM: collected while the phone cannot be frozen, so that it closes its connection and exits with 0.
/// Where it can, they have their default: a frozen process sees a signal that it handles only when it is thawed, which
/// may be in 10 minutes, but the default ends it at once.
final class SleepSignals {
  private static let signals = [Signal.interrupt, Signal.terminate]
  private let descriptor: SignalDescriptor
  private var watch: Watch?
  private var areCollected = true

  init() throws(SystemError) {
    descriptor = try SignalDescriptor(blocking: SleepSignals.signals)
  }

  /// Calls `handler` for the first signal.
  func watch(in application: Application, handler: @escaping () -> Void) throws(LullError) {
    watch = try application.watch(descriptor.raw) { [weak self] in
      guard let self, (try? descriptor.next()) != nil else { return }
      handler()
    }
  }

  /// The phone handles something.
  func collect() {
    guard !areCollected else { return }
    areCollected = true
    // Only a wrong signal number is refused.
    try? Signal.block(SleepSignals.signals)
  }

  /// The phone may be frozen from now on.
  func release() {
    guard areCollected else { return }
    areCollected = false
    try? Signal.unblock(SleepSignals.signals)
  }
}
