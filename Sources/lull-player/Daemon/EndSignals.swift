import Lull
import LullSystem

/// SIGINT and SIGTERM: collected while the player is awake, so that it ends in order. While it may be frozen they have their
/// default: a frozen process sees a signal that it handles only when it is thawed, but the default ends it at once.
final class EndSignals {
  private static let signals = [Signal.interrupt, Signal.terminate]
  private let descriptor: SignalDescriptor
  private var watch: Watch?
  private var areCollected = true

  init() throws(SystemError) {
    descriptor = try SignalDescriptor(blocking: EndSignals.signals)
  }

  /// Calls `handler` for the first signal.
  func watch(in application: Application, handler: @escaping () -> Void) throws(LullError) {
    watch = try application.watch(descriptor.raw) { [weak self] in
      guard let self, (try? descriptor.next()) != nil else { return }
      handler()
    }
  }

  /// The player does something.
  func collect() {
    guard !areCollected else { return }
    areCollected = true
    // Only a wrong signal number is refused.
    try? Signal.block(EndSignals.signals)
  }

  /// The player may be frozen from now on.
  func release() {
    guard areCollected else { return }
    areCollected = false
    try? Signal.unblock(EndSignals.signals)
  }
}
