import LullSystem

/// The keys and signals of who watches on a terminal. The terminal has its modes back when this value ends.
struct WatchKeys: ~Copyable {
  private static let caught = [
    Signal.interrupt, Signal.terminate, Signal.hangUp, Signal.quit, Signal.terminalStop, Signal.continue,
  ]

  private let signals: SignalDescriptor
  private let quitKey = QuitKey()

  init() throws(Failure) {
    do {
      signals = try SignalDescriptor(blocking: Self.caught)
    } catch {
      throw .failed("cannot take signals: \(error)")
    }
    quitKey?.take()
  }

  /// Waits until a descriptor is readable or a moment of CLOCK_BOOTTIME has come, in nanoseconds; returns the
  /// status to exit with when a signal or `q` ends this.
  func wait(for raw: Int32, until moment: Int64?) throws(Failure) -> Int32? {
    var entries = [PollEntry(raw, .readable), PollEntry(signals.raw, .readable)]
    if let keys = quitKey?.raw { entries.append(PollEntry(keys, .readable)) }
    let left = moment.map { Int32(clamping: max(0, ($0 - Clock.boottime() + 999_999) / 1_000_000)) }
    do throws(SystemError) {
      try Socket.pollMany(&entries, timeoutMilliseconds: left ?? -1)
      while let (signal, _) = try signals.next() {
        if let end = try end(by: signal) { return end }
      }
    } catch {
      throw .failed("cannot wait: \(error)")
    }
    guard entries.count > 2, !entries[2].readiness.isEmpty else { return nil }
    return quitKey?.isPressed() == true ? 0 : nil
  }

  private func end(by signal: Int32) throws(SystemError) -> Int32? {
    switch signal {
    // Ctrl-C is how one leaves.
    case Signal.interrupt: return 0
    case Signal.continue: quitKey?.take()
    case Signal.terminalStop:
      quitKey?.leave()
      try Signal.stop(by: signal)
      quitKey?.take()
    default: return 128 + signal
    }
    return nil
  }
}
