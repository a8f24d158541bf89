import LullEngine
import LullSystem

extension Daemon {
  /// Whether a command whose lines are watched may sleep.
  func judge(_ program: Program, _ survey: Survey) -> Finding {
    if let busy = soundDevice(survey) ?? missingPort(program) ?? missingLine(program) { return busy }
    if let unread = unreadLine(program, survey) { return unread }
    let connections = program.lines.compactMap { line in activity(of: line).map { (line, $0) } }
    for (line, activity) in connections {
      if let wait = answerDue(activity, program) {
        return .busy(.unanswered, "line \(line.id.number), \(line.text)", retryAfter: wait)
      }
      keepAlive(line, program)
    }
    return ticks(program, survey, connections.map(\.1)) ?? soundStream(program, survey) ?? .idle
  }

  // MARK: What arrived

  /// Every line is looked at, also behind the first one that is unread: each is to be known as of now.
  private func unreadLine(_ program: Program, _ survey: Survey) -> Finding? {
    var entries = program.lines.map {
      PollEntry(
        $0.duplicate?.raw ?? -1,
        $0.mayBeFull ? [.readable, .readHangUp, .writable] : [.readable, .readHangUp])
    }
    _ = try? Socket.pollMany(&entries, timeoutMilliseconds: 0)
    var first: Finding?
    for (line, entry) in zip(program.lines, entries) {
      let isFull = line.mayBeFull && line.duplicate != nil && !entry.readiness.contains(.writable)
      if isFull { waitForRoom(line) }
      if isUnread(line, entry.readiness.subtracting(.writable), isFull, survey), first == nil {
        let bytes = (line.duplicate.flatMap { try? Socket.unreadBytes($0.raw) }) ?? 0
        first = .busy(.unread, "line \(line.id.number), \(line.text)" + (bytes > 0 ? ", \(bytes) bytes" : ""))
      }
    }
    if first != nil { program.lastTraffic = now }
    return first
  }

  /// A connection that is being made, or whose send buffer is full, wakes the command when it takes bytes.
  private func waitForRoom(_ line: HeldLine) {
    guard let duplicate = line.duplicate else { return }
    try? epoll.modify(duplicate.raw, token: line.token.raw, interest: line.interest.union(.writable))
  }

  /// What the command leaves unread although it does nothing else is forgotten after a while: a connection that it
  /// never looks at again must not keep it awake for ever. From then on only a change there wakes it.
  private func isUnread(
    _ line: HeldLine, _ readiness: LullSystem.Readiness, _ isFull: Bool, _ survey: Survey
  ) -> Bool {
    guard !readiness.isEmpty, let duplicate = line.duplicate else {
      line.found?.stale = nil
      line.found?.isDisregarded = false
      return false
    }
    let trace = trace(line, duplicate, readiness)
    guard let stale = line.found?.stale, stale.trace == trace else {
      line.found?.stale = (trace, now)
      line.found?.isDisregarded = false
      return true
    }
    // Something is still sent there, or a thread may look when its nap is over.
    guard !isFull, now - stale.since >= patience(survey) else { return true }
    line.found?.isDisregarded = true
    line.found?.awaitsOldNews = true
    try? epoll.modify(duplicate.raw, token: line.token.raw, interest: [.readable, .readHangUp, .edge])
    return false
  }

  private func patience(_ survey: Survey) -> Interval {
    let policy = engine.policy
    guard let nap = survey.longestWait else { return policy.disregardAfter }
    let napped = clock.interval(min(nap, policy.longestNap.nanoseconds)) + policy.quiet
    return max(policy.disregardAfter, napped)
  }

  /// True for what is readable as it has been since long.
  func isOldNews(_ line: HeldLine, _ readiness: LullSystem.Readiness) -> Bool {
    guard let found = line.found, found.isDisregarded, found.awaitsOldNews, let stale = found.stale,
      let duplicate = line.duplicate
    else { return false }
    line.found?.awaitsOldNews = false
    return stale.trace == trace(line, duplicate, readiness)
  }

  private func trace(_ line: HeldLine, _ duplicate: DescriptorBox, _ readiness: LullSystem.Readiness)
    -> HeldLine.Trace
  {
    // FIONREAD counts the first datagram only, and the second would look like old news.
    let unread =
      !line.description.isStream
      ? try? Socket.queuedMemory(duplicate.raw) : try? Socket.unreadBytes(duplicate.raw)
    return HeldLine.Trace(readiness: readiness, unread: unread ?? 0)
  }

  // MARK: What is expected

  private func activity(of line: HeldLine) -> TCPActivity? {
    guard line.description.kind == .tcp, let duplicate = line.duplicate else { return nil }
    return try? Socket.tcpActivity(duplicate.raw)
  }

  /// How much longer an answer is waited for: what the command sent of its own accord, such as a ping, may be
  /// answered any moment; what it sent right after something came was an answer itself.
  private func answerDue(_ activity: TCPActivity, _ program: Program) -> Interval? {
    guard activity.isEstablished else { return nil }
    let sent = clock.interval(activity.sinceSent)
    let isAnswer = activity.sinceReceived - activity.sinceSent < engine.policy.answering.nanoseconds
    guard !isAnswer else { return nil }
    let linger = engine.registration(of: program.id)?.linger ?? engine.policy.linger
    return sent < linger ? linger - sent : nil
  }

  private func keepAlive(_ line: HeldLine, _ program: Program) {
    guard let seconds = program.command?.tcpKeepAlive, line.found?.hasKeepAlive == false,
      let duplicate = line.duplicate
    else { return }
    let isSet = Socket.keepAliveIdle(duplicate.raw) == seconds
    line.found?.hasKeepAlive = isSet || (try? Socket.setKeepAlive(duplicate.raw, idleSeconds: seconds)) != nil
  }

  /// A command that wakes more than once a second may be in the middle of a call: it sleeps once its lines are quiet.
  /// What comes and goes on a UDP socket while it is awake the kernel does not count, so sockets that it has opened
  /// since it last slept, as a call does for its media, must have been there for longer.
  private func ticks(_ program: Program, _ survey: Survey, _ connections: [TCPActivity]) -> Finding? {
    guard let wait = survey.shortestWait, wait < engine.policy.tick.nanoseconds else { return nil }
    let traffic = connections.map { clock.interval(min($0.sinceSent, $0.sinceReceived)) }
    let last = program.lastTraffic.map { now - $0 }
    let isSession = program.lines.contains { $0.description.kind == .udp && $0.found?.isNew == true }
    let needed = isSession ? engine.policy.sessionQuiet : engine.policy.quiet
    guard let quiet = (traffic + [last].compactMap(\.self)).min(), quiet < needed else { return nil }
    let media = isSession ? " and has opened UDP sockets" : ""
    return .busy(.ticking, "it wakes every \(max(1, wait / 1_000_000)) ms\(media)")
  }

  /// A script that is still to start the program proper must not sleep through its own pauses.
  private func missingLine(_ program: Program) -> Finding? {
    if program.lines.contains(where: { $0.canCall && $0.duplicate != nil }) { return nil }
    // Its sound has ended: it sleeps as every program does whose sound keeps it awake.
    if !program.sessions.isEmpty { return nil }
    return .busy(.noLine, "it has no socket or other descriptor that could wake it")
  }

  private func missingPort(_ program: Program) -> Finding? {
    guard let rules = program.command else { return nil }
    for port in rules.wakeOn {
      let isThere = program.lines.contains {
        $0.duplicate != nil && ($0.description.localPort == port || $0.description.peerPort == port)
      }
      if !isThere { return .busy(.noPort, "no socket has port \(port)") }
    }
    return nil
  }

  // MARK: Sound

  private func soundDevice(_ survey: Survey) -> Finding? {
    for process in survey.processes {
      if let device = Process.runningSoundDevice(process.files) {
        return .busy(.sound, "\(device) runs")
      }
    }
    return nil
  }

  /// A stream of a sound server runs while the threads that serve the server's socket do.
  private func soundStream(_ program: Program, _ survey: Survey) -> Finding? {
    var server: SoundServer?
    var count: UInt64 = 0
    for process in survey.processes {
      let sockets = program.lines.filter { $0.found?.pid == process.pid && $0.soundServer != nil }
      guard let first = sockets.first else { continue }
      server = first.soundServer
      count += (try? Process.soundTurns(of: process.pid, sockets: sockets.map(\.number))) ?? 0
    }
    guard let server else { return nil }
    let earlier = program.soundTurns
    guard let earlier, now - earlier.at >= engine.policy.quiet else {
      if earlier == nil { program.soundTurns = (count, now) }
      let left = earlier.map { engine.policy.quiet - (now - $0.at) } ?? engine.policy.quiet
      return .busy(.sound, "a stream of \(server.rawValue) may run", retryAfter: left)
    }
    program.soundTurns = (count, now)
    // A look costs each thread a turn or two; a stream has ten and more in a second.
    let seconds = UInt64(clamping: (now - earlier.at).nanoseconds / 1_000_000_000 / clock.rate)
    guard count > earlier.count, count - earlier.count > 5 * (seconds + 1) else { return nil }
    return .busy(.sound, "a stream of \(server.rawValue) runs")
  }
}

extension HeldLine {
  /// What a program gets as its standard streams comes from whoever started it, unless it is a connection.
  var canCall: Bool {
    switch description.kind {
    case .tcp, .udp, .tcpListen: true
    case .unix, .other: number > 2
    }
  }

  var mayBeFull: Bool { description.kind == .tcp }

  var soundServer: SoundServer? { description.kind == .unix ? SoundServer(peer: description.peer) : nil }
}

extension EngineClock {
  /// A length of the kernel's clock on the engine's.
  func interval(_ nanoseconds: Int64) -> Interval { Interval(nanoseconds: nanoseconds).scaled(by: rate) }
}
