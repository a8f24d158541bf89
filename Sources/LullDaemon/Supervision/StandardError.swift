import LullSystem

/// Messages of lulld and lull-guard to the terminal or log of their starter.
enum StandardError {
  /// Writes a text line. A terminal that was held (Ctrl-S) must not hold the process that writes.
  static func say(_ text: String) {
    let ready = try? Socket.poll(StandardStreams.error, .writable, timeoutMilliseconds: 0)
    guard ready?.contains(.writable) == true else { return }
    try? StandardStreams.write(Array((text + "\n").utf8), to: StandardStreams.error)
  }
}

extension Signal {
  /// The signals that mean "stop in good order": all that would end the process. Signals that the starter set
  /// to be ignored (`nohup`, a script's `&`) stay ignored.
  static func endingHere() -> [Int32] {
    let chosen = [Signal.hangUp, Signal.interrupt, Signal.quit]
    return Signal.ending.filter { !chosen.contains($0) || !Signal.isIgnored($0) }
  }
}
