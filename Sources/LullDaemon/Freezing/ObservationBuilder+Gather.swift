import LullEngine
import LullInspect
import LullSystem

extension ObservationBuilder {
  func beginGathering() {
    if asksForInnerEnds() { for process in processes { add(.ends(process)) } }
    add(.settle)
    let count = entries.count
    // Connections last: their origin is known when every listening socket has been seen.
    for isLast in [false, true] { addSteps(count, by: 32) { .attach($0, connections: isLast) } }
    add(.dropLost(before: nil))
    addSteps(count, by: 512) { .poll($0) }
    // Last: bytes that come to a member while the others are polled show in its set.
    add(.pollSets)
    addSteps(count, by: 128) { .tell($0) }
    for process in processes { add(.children(process)) }
    add(.finish)
  }

  func gather(_ step: Step) -> Observer.Outcome? {
    switch step {
    case .ends(let process): readEnds(of: process)
    case .settle: return settle()
    case .attach(let range, let connections):
      return attach(entries[range].filter { ($0.description.kind == .tcp) == connections })
    case .dropLost(let line): return .dropLost(before: line)
    case .poll(let range): poll(entries[range])
    case .pollSets: pollSets()
    case .tell(let range): return tell(entries[range])
    case .children(let process): gatherChildren(of: process)
    default:
      gatherSound()
      memory.signalReaders = Set(processes.filter(\.holdsSignals).map(\.pid))
      observation.missingPort = program.command?.wakeOn.first { !hasPort($0) }
    }
    return nil
  }

  private func settle() -> Observer.Outcome? {
    findInnerEnds()
    settleSets()
    var ports = Set(memory.servedPorts)
    for entry in entries where entry.description.isListening {
      guard let port = entry.description.localPort, ports.insert(port).inserted else { continue }
      memory.servedPorts.append(port)
    }
    return found(sets.map(Pending.set))
  }

  /// A source that only the program should be able to make ready is watched as well where a thread waits for
  /// it: its other end may have been handed to another program.
  private func attach(_ entries: [Entry]) -> Observer.Outcome? {
    found(
      entries.filter { $0.isWatched && $0.description.peer != services.controlPath }.map(Pending.entry))
  }

  private func found(_ all: [Pending]) -> Observer.Outcome? {
    guard !all.isEmpty else { return nil }
    pending = all
    return .found(
      all.map { one in
        switch one {
        case .entry(let entry): source(of: entry)
        case .set(let set): set.source
        }
      })
  }

  private func source(of entry: Entry) -> FoundSource {
    FoundSource(
      line: entry.line, key: entry.key, number: entry.number, pid: entry.process.pid,
      owner: entry.process.pidfd, identity: entry.status.identity, description: entry.description,
      role: entry.role, interest: entry.interest, duplicate: entry.duplicate,
      origin: origin(of: entry.description), isInside: entry.reach == .inside, outerSet: entry.set?.line)
  }

  /// A TCP connection that does not lead to a port on which the command listens was opened by the command.
  private func origin(of description: LineDescription) -> LineOrigin {
    guard description.kind == .tcp, let port = description.localPort else { return .other }
    return memory.servedPorts.contains(port) ? .other : .opened
  }

  func attached(_ lines: [LineID?]) {
    for (one, line) in zip(pending, lines) {
      switch one {
      case .entry(let entry): entry.attach(line)
      case .set(let set): set.attach(line)
      }
    }
    pending = []
    guard lines.contains(nil) else { return }
    observation.obstacle = .tooManyLines
    stop()
  }

  /// Members that are ready although their set is not are no news: the program was told before.
  private func tell(_ entries: ArraySlice<Entry>) -> Observer.Outcome? {
    var told: [(line: LineID, rest: Interest)] = []
    for entry in entries {
      if entry.role == .member, let line = entry.line {
        told.append((line, entry.interest.subtracting(Interest(rawValue: entry.readiness.rawValue))))
      }
      if let source = source(entry) { observation.sources.append(source) }
    }
    return told.isEmpty ? nil : .told(told)
  }

  private func hasPort(_ port: UInt16) -> Bool {
    entries.contains {
      $0.isAttached && ($0.description.localPort == port || $0.description.peerPort == port)
    }
  }

  // MARK: Conditions

  private func poll(_ polled: ArraySlice<Entry>) {
    var entries = polled.map { PollEntry($0.duplicate.raw, $0.polled) }
    pollMany(&entries)
    for (entry, poll) in zip(polled, entries) { entry.readiness = poll.readiness }
  }

  private func pollSets() {
    let polled = sets.filter { !$0.facts.holdsSignals }
    var entries = polled.map { PollEntry($0.duplicate.raw, .readable) }
    pollMany(&entries)
    for (set, poll) in zip(polled, entries) { set.isReady = !poll.readiness.isEmpty }
    for set in sets {
      var source = WakeSource(line: set.line, role: .set, reach: set.facts.reach)
      source.isReady = set.isReady
      observation.sources.append(source)
    }
  }

  private func pollMany(_ entries: inout [PollEntry]) {
    do {
      try Socket.pollMany(&entries, timeoutMilliseconds: 0)
    } catch {
      observation.obstacle = services.obstacle(error)
    }
  }

  private func source(_ entry: Entry) -> WakeSource? {
    // Notices of this daemon wait for the wake, unless a thread waits for them.
    if entry.role != .waited, entry.description.peer == services.controlPath { return nil }
    var source = WakeSource(line: entry.line, role: entry.role, reach: entry.reach)
    source.isFull = entry.mayBeFull && !entry.readiness.contains(.writable)
    let readiness = entry.mayBeFull ? entry.readiness.subtracting(.writable) : entry.readiness
    source.isReady = !readiness.isEmpty
    source.isTold = entry.isTold
    if source.isReady {
      source.unread = journal.ignoring(.unsupported, try Socket.unreadBytes(entry.duplicate.raw)) ?? 0
      source.isAtEnd = source.unread == 0 && !readiness.isDisjoint(with: [.readHangUp, .hangUp])
      source.trace = Socket.trace(entry.duplicate.raw, description: entry.description, readiness: readiness)
    }
    // What the sound server says and is told is no traffic of a line.
    if entry.reach != .doorbell { source.transport = transport(entry) }
    return source
  }

  private func transport(_ entry: Entry) -> WakeSource.Transport {
    switch entry.description.kind {
    case .udp: return .udp(hasPeer: !entry.description.peer.isEmpty)
    case .tcp:
      guard let activity = journal.ignoring([], try Socket.tcpActivity(entry.duplicate.raw)) else {
        return .other
      }
      let clock = services.clock
      var traffic = WakeSource.Activity(
        sinceSent: clock.interval(activity.sinceSent),
        sinceReceived: clock.interval(activity.sinceReceived), isEstablished: activity.isEstablished)
      traffic.hasSent = activity.hasSent
      return .tcp(traffic)
    case .tcpListen, .unix, .set, .other: return .other
    }
  }

  // MARK: Sound

  private func gatherSound() {
    let devices = entries.compactMap { entry in
      entry.file.map { OpenFile(number: entry.number, kind: $0) }
    }
    observation.audioDevice = LullSystem.Process.runningAudioDevice(devices)
    observation.records = program.sound == .recording || observation.audioDevice?.hasSuffix("c") == true
    let heard = soundConnections()
    memory.soundClients = heard.compactMap { entry, server in
      server.address.map { SoundClient(pid: entry.process.pid, server: $0) }
    }
    switch program.sound {
    // Whether it is heard is told by the leases of its sound.
    case .measured: return
    case .running, .recording:
      let server = heard.first?.server.kind ?? .pulseAudio
      observation.audioDevice = observation.audioDevice ?? server.rawValue
    case .none: countTurns(heard)
    }
  }

  /// Connections that are closed are forgotten.
  private func soundConnections() -> [(entry: Entry, server: SoundServer)] {
    var found: [(entry: Entry, server: SoundServer)] = []
    var known: [UInt64: SoundServer?] = [:]
    for entry in entries {
      let server = soundServer(
        behind: entry.description, raw: entry.duplicate.raw, status: entry.status, of: entry.process)
      if let server { found.append((entry, server)) }
      let inode = entry.status.identity.inode
      if let answer = memory.soundServers[inode] { known.updateValue(answer, forKey: inode) }
    }
    memory.soundServers = known
    return found
  }

  /// The server is looked for once, since that can mean to read a long table.
  func soundServer(
    behind connection: LineDescription, raw: Int32, status: FileStatus, of process: Process
  ) -> SoundServer? {
    guard SoundServer.mayBe(behind: connection),
      connection.localPort.map(memory.servedPorts.contains) != true
    else { return nil }
    let inode = status.identity.inode
    if let known = memory.soundServers[inode] { return known }
    let server = SoundServer(behind: connection, raw: raw, of: process.pid)
    memory.soundServers.updateValue(server, forKey: inode)
    return server
  }

  /// Nobody knows what runs: the threads that serve the server's socket tell.
  private func countTurns(_ heard: [(entry: Entry, server: SoundServer)]) {
    var count: UInt64 = 0
    let servers = Dictionary(grouping: heard) { ObjectIdentifier($0.entry.process) }
    for process in processes {
      guard let sockets = servers[ObjectIdentifier(process)], let server = sockets.first?.server.kind else {
        continue
      }
      let numbers = sockets.map(\.entry.number)
      count +=
        journal.ignoring(.gone, try LullSystem.Process.audioTurns(of: process.pid, sockets: numbers)) ?? 0
      observation.audioTurns = Observation.AudioTurns(server: server.rawValue, count: count)
    }
  }

  // MARK: Children

  /// The end of a process is news for its parent, and its open files must be closed, or its peers would wait.
  private func gatherChildren(of process: Process) {
    if process.isOwn { watched.append(process.pidfd) }
    if process.holdsSignals, process.hasBlockedSignal { observation.signalled = process.pid }
    guard process.hearsSignals || process.holdsSignals else { return }
    let children = journal.ignoring(.gone, try LullSystem.Process.children(of: process.pid)) ?? []
    for child in children where !hasProcess(child) {
      guard
        let pidfd = journal.ignoring(.ended, DescriptorBox(try LullSystem.Process.pidfdOpen(child))),
        // A child that has ended and that no thread waits for is no news.
        journal.ignoring([], try Socket.poll(pidfd.raw, .readable, timeoutMilliseconds: 0))?.isEmpty == true
      else { continue }
      observation.hasFreeChild = true
      watched.append(pidfd)
    }
  }
}

extension ObservationBuilder.Entry {
  /// True for a connection that is being made, or whose send buffer is full. It is asked for room as well: a
  /// napping thread may wait for it.
  fileprivate var mayBeFull: Bool {
    role == .open && (description.kind == .tcp || interest.contains(.writable))
  }

  fileprivate var polled: Interest { mayBeFull ? interest.union(.writable) : interest }
}
