import LullChannel
import LullEngine
import LullInspect
import LullSystem

struct Arming {
  enum State {
    case arm(after: LineID?)
    case pollOnce(after: LineID?)
    case done
  }

  var state = State.arm(after: nil)
  /// These lines of the plan are watched differently; `full` are those whose send buffer is full.
  let disregarded: Set<LineID>, full: Set<LineID>
  let rules: CommandRules?
  let isDryRun: Bool

  init(_ plan: WatchPlan, _ rules: CommandRules?, isDryRun: Bool) {
    (disregarded, full, self.rules) = (Set(plan.disregarded), Set(plan.full), rules)
    self.isDryRun = isDryRun
  }
}

extension ProgramLines {
  /// Arms or polls some lines. Every line is watched before the first one is polled: what comes meanwhile is
  /// seen twice, not never.
  func armNext() throws(SystemError) -> WakeSources.Progress {
    guard let arming else { return .done }
    switch arming.state {
    case .arm(let last):
      let some = lines(after: last, atMost: 64)
      var lost: [Event] = []
      for line in some { if let event = try arm(line, arming) { lost.append(event) } }
      self.arming?.state = some.last.map { .arm(after: $0.id) } ?? .pollOnce(after: nil)
      return .goesOn(lost)
    case .pollOnce(let last):
      let some = lines(after: last, atMost: 512)
      self.arming?.state = some.last.map { .pollOnce(after: $0.id) } ?? .done
      let ready = pollOnce(some)
      return ready.isEmpty ? .goesOn([]) : .ready(ready)
    case .done:
      self.arming = nil
      return .done
    }
  }

  private func arm(_ line: HeldLine, _ arming: Arming) throws(SystemError) -> Event? {
    if let set = line.epollSet {
      if line.found?.role == .set, !set.facts.fallsBack { try set.arm(in: services.reactor, line.slot) }
      return nil
    }
    guard line.found != nil else { return try armDeclared(line) }
    guard let duplicate = line.duplicate else { return nil }
    setKeepAlive(line, duplicate: duplicate, seconds: arming.rules?.tcpKeepAlive)
    guard line.isWatched, line.found?.role != nil else { return nil }
    if arming.isDryRun, line.description.kind == .tcp { return leave(line, duplicate) }
    var interest = line.interest
    // Room is waited for only on a line whose send buffer was full.
    if line.found?.role == .open { interest.remove(.writable) }
    line.found?.isDisregarded = arming.disregarded.contains(line.id)
    if line.found?.isDisregarded == true {
      line.found?.oldNews = Socket.trace(
        duplicate.raw, description: line.description, readiness: line.readiness(duplicate))
      interest = [.readable, .readHangUp, .edge]
    }
    // Whoever is left in the queue must not make the socket ready again and again.
    if arming.rules?.looksAtQueue(line.description) == true { interest = [.readable, .edge] }
    if arming.full.contains(line.id) { interest.formUnion(.writable) }
    try watch(line, by: duplicate, for: interest)
    return nil
  }

  private func watch(_ line: HeldLine, by duplicate: DescriptorBox, for interest: Interest)
    throws(SystemError)
  {
    line.registration = try services.reactor.add(duplicate.raw, interest, as: .line(line.slot))
  }

  private func armDeclared(_ line: HeldLine) throws(SystemError) -> Event? {
    if line.duplicate == nil { line.duplicate = try line.take(services.closer) }
    guard let duplicate = line.duplicate else {
      drop(line)
      return .lineLost(app, line.id)
    }
    line.describeAgain(services.closer)
    try watch(line, by: duplicate, for: line.interest)
    return nil
  }

  private func setKeepAlive(_ line: HeldLine, duplicate: DescriptorBox, seconds: Int32?) {
    guard let seconds, line.description.kind == .tcp, line.found?.hasKeepAlive == false else { return }
    let isSet = Socket.keepAliveIdle(duplicate.raw) == seconds
    line.found?.hasKeepAlive =
      isSet
      || services.journal.ignoring([], try Socket.setKeepAlive(duplicate.raw, idleSeconds: seconds)) != nil
  }

  /// The events of the declared lines from before the freeze: they wake the program again, whatever its
  /// threads do.
  func takeDeclared() throws(SystemError) -> [Event] {
    for line in lines where line.duplicate == nil { line.duplicate = try line.take(services.closer) }
    return pollOnce(lines[...])
  }

  private func pollOnce(_ lines: ArraySlice<HeldLine>) -> [Event] {
    let watched = lines.filter { line in
      if let set = line.epollSet { return set.isArmed }
      return line.duplicate != nil && line.isWatched && line.found?.isDisregarded != true
    }
    var entries = watched.map {
      PollEntry($0.epollSet?.duplicate.raw ?? $0.duplicate?.raw ?? -1, $0.pollInterest)
    }
    guard areReady(&entries) else { return [] }
    return zip(watched, entries).compactMap { line, entry in
      guard !entry.readiness.isEmpty else { return nil }
      let (named, readiness) = name(line, entry.readiness)
      return .ready(app, named.id, classify(named, readiness))
    }
  }
}

extension ProgramLines {
  func areReady(_ entries: inout [PollEntry]) -> Bool {
    guard !entries.isEmpty else { return false }
    return services.journal.ignoring([], try Socket.pollMany(&entries, timeoutMilliseconds: 0)) ?? 0 > 0
  }
}

extension HeldLine {
  fileprivate var pollInterest: Interest {
    let polled = interest.subtracting(.oneShot)
    return found?.role == .open ? polled.subtracting(.writable) : polled
  }

  fileprivate func readiness(_ duplicate: DescriptorBox) -> Readiness {
    (try? Socket.poll(duplicate.raw, [.readable, .readHangUp], timeoutMilliseconds: 0)) ?? []
  }

  /// A line that was found is described at each freeze. One that was declared may have been connected since.
  func describeAgain(_ closer: Closer) {
    guard found == nil, description.mayChange, let taken = duplicate ?? (try? take(closer)) else { return }
    description = Socket.describe(taken.raw, known: description)
  }

  /// Nil when the number was closed or means another file by now.
  func take(_ closer: Closer) throws(SystemError) -> DescriptorBox? {
    do {
      let duplicate = try DescriptorBox(Process.getDescriptor(owner.raw, number: number), closer: closer)
      return try FileIdentity.of(duplicate.raw) == identity ? duplicate : nil
    } catch {
      if error.isBadDescriptor || error.isNoSuchProcess { return nil }
      throw error
    }
  }
}

extension Socket {
  static func trace(
    _ raw: Int32, description: LineDescription, readiness: Readiness
  ) -> UInt64 {
    // FIONREAD counts the first datagram only, and the second would look like old news.
    let unread =
      description.isEvent
      ? (try? EventDescriptor.count(of: raw)).map { Int(truncatingIfNeeded: $0) }
      : description.isStream ? try? unreadBytes(raw) : try? queuedMemory(raw)
    return UInt64(readiness.rawValue) << 40 | UInt64(clamping: unread ?? 0)
  }
}
