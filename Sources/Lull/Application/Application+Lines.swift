internal import LullChannel
internal import LullEngine
internal import LullSystem
internal import LullWire

extension Application {
  /// Lets a descriptor be watched while the program sleeps: a connection of a library that knows nothing of
  /// Lull, a listening socket, a UDP socket, an accessory. Any descriptor that can be polled will do, at any
  /// time.
  ///
  /// The descriptor's reader goes on reading it; with `onReadable` the application's loop watches the
  /// descriptor as well. A program that reads it outside that loop calls ``finishedHandlingWake()`` when it
  /// has read.
  ///
  /// - Parameters:
  ///   - descriptor: the program's own; ``Line/release()`` comes before it is closed.
  ///   - purpose: each needs its mode, `bluetooth` one of two.
  ///   - offload: pings that the daemon answers while the program sleeps, on a plain TCP or UDP socket. An
  ///     embedded application handles every ping itself.
  ///   - tcpKeepalive: seconds after which the kernel probes an idle TCP connection; the probes wake no
  ///     program.
  ///   - name: the line's name in ``restoredLines``, as a program's name is written.
  ///   - isEncrypted: true for a connection with TLS: its keys end with the program, so it is never kept.
  ///   - onReadable: called in the loop whenever the descriptor is readable.
  /// - Returns: the line, to be released.
  /// - Throws: `notPollable`, `wrongMode`, `limitReached`, `timedOut`, or `system` for a number that is no
  ///   open descriptor.
  public func hold(
    _ descriptor: Int32, as purpose: LinePurpose = .voip, offload: Offload = [], tcpKeepalive: Double? = nil,
    name: String? = nil, isEncrypted: Bool = false, onReadable: (() -> Void)? = nil
  ) throws(LullError) -> Line {
    let interval = tcpKeepalive.map { Interval(clampingSeconds: $0) }
    let traits = LineTraits(
      purpose: purpose, offload: offload, tcpKeepalive: interval, name: name, isEncrypted: isEncrypted)
    return try hold(descriptor, traits, state: [], onReadable: onReadable)
  }

  func hold(
    _ descriptor: Int32, _ traits: LineTraits, state: [UInt8], onReadable: (() -> Void)?
  ) throws(LullError) -> Line {
    let line = Line(
      self, descriptor: descriptor, traits, state: state, isForeign: true, onReadable: onReadable)
    do throws(SystemError) {
      try loop.reactor.probe(descriptor)
      try line.watch(in: loop, isSuspended: link.isSuspended)
      try line.startProbes()
    } catch {
      throw LullError(watching: descriptor, error)
    }
    try hold(line)
    return line
  }

  func hold(_ line: Line) throws(LullError) {
    guard phase != .ended else { throw .ended }
    defer { settle() }
    do {
      if case .line(let id) = try askIfUp(line.request, descriptor: line.descriptor) { line.id = id }
    } catch {
      line.forget(in: loop)
      throw error
    }
    lines.append(line)
    if !line.state.isEmpty { try line.tellState() }
  }

  func declareAnew(_ line: Line) throws(LullError) {
    line.id = nil
    do {
      if case .line(let id) = try link.ask(line.request, descriptor: line.descriptor) { line.id = id }
      if !line.state.isEmpty { try line.tellState() }
    } catch {
      if error == .connectionLost { throw error }
      line.forget(in: loop)
      line.lose()
      lines.removeAll { $0 === line }
      tell { $0.application(self, didLose: line, error: error) }
    }
  }

  func restore(_ lines: [RestoredLine]) {
    restoredLines = lines
    guard !lines.isEmpty else { return }
    schedule(after: RestoredLine.takingTime) { [weak self] in
      for line in self?.restoredLines ?? [] { line.release() }
      self?.restoredLines = []
    }
  }

  /// The program ends, and its lines are kept. The daemon may lack the right to take them by itself.
  func keepLines() {
    areLinesKept = true
    for line in lines.prefix(Limits.maximumKeptLines) where !line.traits.isEncrypted {
      guard let id = line.id else { continue }
      link.tell(.handover(line: id, ticket: Ticket(0)), descriptor: line.descriptor)
    }
  }

  package func stream(numbered number: UInt64) -> VoIPStream? { streams.first { $0.number == number } }

  func firstReadyLine(among lines: [Line]) -> (LineID, LineReadiness)? {
    guard !lines.isEmpty else { return nil }
    var entries = lines.map { PollEntry($0.descriptor, [.readable, .readHangUp]) }
    guard let count = try? Socket.pollMany(&entries, timeoutMilliseconds: 0), count > 0 else { return nil }
    for (line, entry) in zip(lines, entries) where !entry.readiness.isEmpty {
      return (line.id ?? LineID(0), line.reading(entry.readiness))
    }
    return nil
  }

  /// A line that becomes ready while the handlers are suspended wakes them, before it is handled itself.
  func wakeIfSuspended(_ line: Line, _ readiness: Readiness) {
    guard link.isSuspended, let id = line.id else { return }
    link.ready(id, line.reading(readiness))
    handleNotices()
  }

  func suspensionChanged(_ suspended: Bool) {
    applicationState = suspended ? .suspended : .background
    if suspended { tickets.slept() }
    for stream in streams { stream.updateInterest() }
    // This fails for a descriptor that was closed before its line was released: no event can come from it.
    for line in lines { try? line.watch(in: loop, isSuspended: suspended) }
  }
}
