import LullSystem

/// The signals that `lull run` passes on, blocked and read from a descriptor.
struct ForwardedSignals: ~Copyable {
  private static let all = [
    Signal.interrupt, Signal.terminate, Signal.hangUp, Signal.quit, Signal.user1, Signal.user2,
    Signal.windowChange, Signal.terminalStop, Signal.continue,
  ]

  private let descriptor: SignalDescriptor

  /// Blocks the signals from now on.
  init() throws(Failure) {
    do {
      descriptor = try SignalDescriptor(blocking: Self.all)
    } catch {
      throw .failed("cannot take signals: \(error)")
    }
  }

  /// The descriptor to poll.
  var raw: Int32 { descriptor.raw }

  /// The next signal that came, or nil.
  func next() throws(Failure) -> Int32? {
    do {
      return try descriptor.next()?.signal
    } catch {
      throw .failed("cannot read signals: \(error)")
    }
  }
}
