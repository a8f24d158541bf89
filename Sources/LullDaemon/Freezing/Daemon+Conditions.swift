import LullEngine
import LullSystem

// Whether what the threads wait for has come true, and what else is known of it.
extension Daemon {
  func poll(_ polled: ArraySlice<Look.Entry>, _ look: Look) {
    var entries = polled.map { PollEntry($0.duplicate.raw, $0.polled) }
    pollMany(&entries, look)
    for (entry, poll) in zip(polled, entries) { entry.readiness = poll.readiness }
  }

  func pollSets(_ look: Look) {
    let sets = look.sets.compactMap(\.epollSet).filter { !$0.holdsSignals }
    var entries = sets.map { PollEntry($0.duplicate.raw, .readable) }
    pollMany(&entries, look)
    for (set, poll) in zip(sets, entries) { set.isReady = !poll.readiness.isEmpty }
    for line in look.sets { source(ofSet: line).map { look.observation.sources.append($0) } }
  }

  private func pollMany(_ entries: inout [PollEntry], _ look: Look) {
    do {
      try Socket.pollMany(&entries, timeoutMilliseconds: 0)
    } catch {
      look.observation.obstacle = obstacle(error)
    }
  }

  func source(ofSet line: HeldLine) -> WakeSource? {
    guard let set = line.epollSet else { return nil }
    var source = WakeSource(line: line.id, role: .set, reach: set.reach)
    source.isReady = set.isReady
    return source
  }

  func source(_ entry: Look.Entry) -> WakeSource? {
    // What the supervisor says waits for the wake, unless a thread waits for it.
    if entry.role != .waited, entry.description.peer == controlPath { return nil }
    var source = WakeSource(line: entry.line?.id, role: entry.role, reach: entry.reach)
    source.isFull = entry.mayBeFull && !entry.readiness.contains(.writable)
    let readiness = entry.mayBeFull ? entry.readiness.subtracting(.writable) : entry.readiness
    source.isReady = !readiness.isEmpty
    if source.isReady {
      source.unread = (try? Socket.unreadBytes(entry.duplicate.raw)) ?? 0
      source.trace = trace(entry.duplicate, entry.description, readiness)
    }
    source.transport = transport(entry)
    return source
  }

  /// By which two looks at an unread descriptor are compared.
  func trace(
    _ duplicate: DescriptorBox, _ description: LineDescription, _ readiness: LullSystem.Readiness
  ) -> UInt64 {
    // FIONREAD counts the first datagram only, and the second would look like old news.
    let unread =
      !description.isStream
      ? try? Socket.queuedMemory(duplicate.raw) : try? Socket.unreadBytes(duplicate.raw)
    return UInt64(readiness.rawValue) << 40 | UInt64(clamping: unread ?? 0)
  }

  private func transport(_ entry: Look.Entry) -> WakeSource.Transport {
    switch entry.description.kind {
    case .udp: return .udp(hasPeer: !entry.description.peer.isEmpty)
    case .tcp:
      guard let activity = try? Socket.tcpActivity(entry.duplicate.raw) else { return .other }
      return .tcp(
        WakeSource.Activity(
          sinceSent: clock.interval(activity.sinceSent),
          sinceReceived: clock.interval(activity.sinceReceived), isEstablished: activity.isEstablished))
    case .tcpListen, .unix, .set, .other: return .other
    }
  }

  // MARK: Sound

  func gatherSound(_ look: Look) {
    let devices = look.entries.compactMap { entry in
      entry.file.map { OpenFile(number: entry.number, kind: $0) }
    }
    look.observation.soundDevice = Process.runningSoundDevice(devices)
    var count: UInt64 = 0
    let heard = look.entries.filter { $0.soundServer != nil }
    let servers = Dictionary(grouping: heard) { ObjectIdentifier($0.process) }
    for process in look.processes {
      guard let sockets = servers[ObjectIdentifier(process)], let server = sockets.first?.soundServer else {
        continue
      }
      count += (try? Process.soundTurns(of: process.pid, sockets: sockets.map(\.number))) ?? 0
      look.observation.soundTurns = Observation.SoundTurns(server: server.rawValue, count: count)
    }
  }

  // MARK: Children

  /// A process of the sleeper was killed, or a child that is not held still with it has ended.
  func childEnded(_ token: Token) {
    guard let program = program(token), !program.watched.isEmpty else { return }
    feed(.childEnded(program.id))
  }

  /// The end of a process is news for its parent, and what it had open must be closed, or its peers would
  /// wait.
  func gatherChildren(of process: Look.Process, _ look: Look, _ program: Program) {
    if process.isOwn { program.watched.append(process.pidfd) }
    if process.holdsSignals, process.hasBlockedSignal { look.observation.signalled = process.pid }
    guard process.hearsSignals || process.holdsSignals else { return }
    for child in (try? Process.children(of: process.pid)) ?? [] where !look.hasProcess(child) {
      guard let pidfd = try? DescriptorBox(Process.pidfdOpen(child)),
        // One that has ended and that nobody waits for is no news.
        (try? Socket.poll(pidfd.raw, .readable, timeoutMilliseconds: 0))?.isEmpty == true
      else { continue }
      look.observation.hasFreeChild = true
      program.watched.append(pidfd)
    }
  }
}

extension Look.Entry {
  /// A connection that is being made, or whose send buffer is full, is asked for room as well: a napping
  /// thread may wait for it.
  fileprivate var mayBeFull: Bool {
    role == .open && (description.kind == .tcp || interest.contains(.writable))
  }

  fileprivate var polled: Interest { mayBeFull ? interest.union(.writable) : interest }

  fileprivate var soundServer: SoundServer? {
    description.kind == .unix ? SoundServer(peer: description.peer) : nil
  }
}

extension EngineClock {
  /// A length of the kernel's clock on the engine's.
  func interval(_ nanoseconds: Int64) -> Interval { Interval(nanoseconds: nanoseconds).scaled(by: rate) }
}
