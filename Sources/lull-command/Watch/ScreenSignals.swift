import LullSystem

/// The signals that end, stop or resize what owns the screen, blocked and read from a descriptor.
struct ScreenSignals: ~Copyable {
  private static let all = [
    Signal.interrupt, Signal.terminate, Signal.hangUp, Signal.quit, Signal.windowChange, Signal.terminalStop,
    Signal.continue,
  ]

  private let descriptor: SignalDescriptor

  init() throws(Failure) {
    do {
      descriptor = try SignalDescriptor(blocking: Self.all)
    } catch {
      throw .failed("cannot take signals: \(error)")
    }
  }

  var raw: Int32 { descriptor.raw }

  func next() throws(Failure) -> Int32? {
    do {
      return try descriptor.next()?.signal
    } catch {
      throw .failed("cannot read signals: \(error)")
    }
  }

  /// Stops this process as Ctrl-Z does; returns when it was continued, or where nobody would continue it.
  func stop() throws(Failure) {
    do {
      try Signal.stop(by: Signal.terminalStop)
    } catch {
      throw .failed("cannot stop: \(error)")
    }
  }
}
