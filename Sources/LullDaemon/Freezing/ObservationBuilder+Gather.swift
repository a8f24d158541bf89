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

  /// Takes the lines of the sources that were handed out last.
  func attached(_ lines: [LineID?]) {
    for (one, line) in zip(pending, lines) {
      switch one {
      case .entry(let entry): (entry.line, entry.isAttached) = (line, line != nil)
      case .set(let set): set.line = line
      }
    }
    pending = []
    guard lines.contains(nil) else { return }
    observation.obstacle = .tooManyLines
    stop()
  }

  /// Hands out the members that are ready although their set is not: the program was told before, so they
  /// would be no news.
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
}
