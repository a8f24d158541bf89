internal import LullSystem

/// SIGINT and SIGTERM for a program that may be frozen and that wants to end in good order.
///
/// While the program is awake the signals are collected and reach a handler. While it may be frozen they have
/// their default action, which ends it at once: a signal with a handler reaches a frozen process only when it
/// is unfrozen, and that may be in 10 minutes.
public final class SleepSignals {
  private static let signals = [Signal.interrupt, Signal.terminate]
  private let descriptor: SignalDescriptor
  private var watch: Watch?
  private var areCollected = true

  /// Collects the signals from now on.
  ///
  /// - Throws: ``LullError/system(code:_:)`` when there is no descriptor to spare.
  public init() throws(LullError) {
    do {
      descriptor = try SignalDescriptor(blocking: SleepSignals.signals)
    } catch {
      throw LullError(error)
    }
  }

  /// Calls `handler` in the application's loop for each signal that is collected.
  ///
  /// - Throws: ``LullError/system(code:_:)`` when the signals cannot be watched.
  public func watch(in application: Application, handler: @escaping () -> Void) throws(LullError) {
    watch = try application.watch(descriptor.raw) { [weak self] in
      guard let self, (try? descriptor.next()) != nil else { return }
      handler()
    }
  }

  /// Collects the signals again while the program handles an event.
  public func collect() {
    guard !areCollected else { return }
    areCollected = true
    // Only a wrong signal number is refused.
    try? Signal.block(SleepSignals.signals)
  }

  /// Restores the default action: the program may be frozen from now on, and a signal ends it.
  public func release() {
    guard areCollected else { return }
    areCollected = false
    try? Signal.unblock(SleepSignals.signals)
  }
}
