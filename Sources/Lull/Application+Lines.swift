internal import LullEngine
internal import LullSystem

extension Application {
  /// Has a descriptor watched while the program sleeps: a connection of a library that knows nothing of Lull,
  /// a listening socket, a UDP socket, an accessory. It may be any that can be polled, at any time.
  ///
  /// Whoever reads it goes on doing so; `onReadable` lets the application's loop watch it in its own turn. A
  /// program that reads it elsewhere calls ``finishedHandlingWake()`` when it has.
  ///
  /// - Parameters:
  ///   - descriptor: the program's own; ``Line/release()`` comes before it is closed.
  ///   - kind: `voip` or `accessory`, each of which needs its mode.
  ///   - offload: pings that the daemon answers while the program sleeps, on a plain TCP or UDP socket. An
  ///     embedded application handles every ping itself.
  ///   - tcpKeepalive: lets the kernel probe an idle TCP connection after so many seconds, which wakes
  ///     nobody.
  ///   - onReadable: called in the loop whenever it is readable.
  /// - Returns: the line, to be released.
  /// - Throws: `notPollable`, `wrongMode`, `limitReached`, `timedOut`, or `system` for what is no descriptor.
  public func hold(
    _ descriptor: Int32, as kind: LineKind = .voip, offload: Offload = [], tcpKeepalive: Double? = nil,
    onReadable: (() -> Void)? = nil
  ) throws(LullError) -> Line {
    let interval = tcpKeepalive.map { Interval(clampingSeconds: $0) }
    let line = Line(self, descriptor, kind, offload, interval, isForeign: true, onReadable: onReadable)
    do throws(SystemError) {
      try reactor.probe(descriptor)
      try line.watch(in: reactor, isSuspended: link.isSuspended)
      try line.startProbes()
    } catch {
      throw error.isNotPermitted
        ? .notPollable("descriptor \(descriptor) cannot be watched") : LullError(error)
    }
    try hold(line)
    return line
  }

  func hold(_ line: Line) throws(LullError) {
    guard phase != .ended else { throw .ended }
    defer { settle() }
    do {
      line.id = try ask(line)
    } catch .connectionLost {
      // It is declared with everything else when a daemon is there again.
    } catch {
      line.forget(in: reactor)
      throw error
    }
    lines.append(line)
  }

  func declareAnew(_ line: Line) throws(LullError) {
    line.id = nil
    do {
      line.id = try ask(line)
    } catch {
      if error == .connectionLost { throw error }
      line.forget(in: reactor)
      line.lose()
      lines.removeAll { $0 === line }
      delegate?.application(self, didLose: line, error: error)
    }
  }

  private func ask(_ line: Line) throws(LullError) -> LineID? {
    let call = Call.hold(line.descriptor, line.kind, line.offload, tcpKeepalive: line.tcpKeepalive)
    guard case .line(let id) = try link.ask(call) else { return nil }
    return id
  }

  /// The first of the lines that is ready.
  func firstReadyLine(among lines: [Line]) -> (LineID, LullEngine.Readiness)? {
    guard !lines.isEmpty else { return nil }
    var entries = lines.map { PollEntry($0.descriptor, [.readable, .readHangUp]) }
    guard let count = try? Socket.pollMany(&entries, timeoutMilliseconds: 0), count > 0 else { return nil }
    for (line, entry) in zip(lines, entries) where !entry.readiness.isEmpty {
      return (line.id ?? LineID(0), line.reading(entry.readiness))
    }
    return nil
  }

  /// A line that becomes ready while the handlers are suspended wakes them, before it is handled itself.
  func wakeIfSuspended(_ line: Line, _ readiness: LullSystem.Readiness) {
    guard link.isSuspended, let id = line.id else { return }
    link.ready(id, line.reading(readiness))
    handleNotices()
  }

  /// The handlers were suspended or may run again.
  func suspensionChanged(_ suspended: Bool) {
    applicationState = suspended ? .suspended : .background
    if suspended { tickets.slept() }
    for stream in streams { stream.updateInterest() }
    // It fails for a descriptor that was closed before it was released: nothing can come of it any more.
    for line in lines { try? line.watch(in: reactor, isSuspended: suspended) }
  }
}
