internal import LullChannel

/// A descriptor that the application's loop watches, until ``cancel()``, which comes before the descriptor is
/// closed.
public final class Watch {
  private weak var loop: EventLoop?
  private let registration: Slot

  init(_ loop: EventLoop, _ registration: Slot) {
    (self.loop, self.registration) = (loop, registration)
  }

  /// Ends the watch; does nothing the second time.
  public func cancel() {
    loop?.remove(registration)
  }
}
