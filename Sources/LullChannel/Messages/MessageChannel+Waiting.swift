package import LullSystem

// Waiting, for a program whose only work at the moment is the answer of its peer.
extension MessageChannel {
  /// The next text line, waited for until a moment of CLOCK_BOOTTIME in nanoseconds (nil: for ever); nil when
  /// the time has run out. Queued output is sent meanwhile. The last read comes after the time has run out: a
  /// program that was frozen while it waited finds its answer then.
  package func next(until deadline: Int64?, into buffer: inout ReceiveBuffer) throws(SystemError) -> Incoming?
  {
    while true {
      if let incoming = next() { return incoming }
      switch receive(into: &buffer) {
      case .bytes: continue
      case .ended(let end): return .ended(end)
      case .nothing: guard try wait(until: deadline) else { return nil }
      }
    }
  }

  /// Waits until something has come, or until there is room for what waits, which is then sent; false when
  /// the time has run out.
  package func wait(until deadline: Int64?) throws(SystemError) -> Bool {
    let readiness = try Socket.poll(
      socket.raw, stalledSince == nil ? .readable : [.readable, .writable],
      timeoutMilliseconds: Self.milliseconds(until: deadline))
    handle(readiness)
    return !readiness.isEmpty
  }

  private static func milliseconds(until deadline: Int64?) -> Int32 {
    guard let deadline else { return -1 }
    return Int32(clamping: max(0, (deadline - Clock.boottime() + 999_999) / 1_000_000))
  }
}
