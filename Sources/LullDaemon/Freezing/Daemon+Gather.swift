import LullEngine
import LullSystem

// From what was taken to what the engine is told: lines, their readiness, their traffic.
extension Daemon {
  /// A descriptor that becomes a line.
  struct NewLine {
    let number: Int32
    let process: Look.Process
    let key: FileKey
    let identity: FileIdentity
    let description: LineDescription
    let role: WakeSource.Role
    let interest: Interest
  }

  func beginGathering(_ look: Look, _ program: Program) {
    if asksForInnerEnds(look, program) { for process in look.processes { look.add(.ends(process)) } }
    look.add(.settle)
    let count = look.entries.count
    // Connections last: where they come from is known when every listening socket has been seen.
    for isLast in [false, true] { look.addSteps(count, by: 32) { .attach($0, connections: isLast) } }
    look.add(.dropLost(program.lines[...]))
    look.addSteps(count, by: 512) { .poll($0) }
    // Last: what comes to a member while the others are polled shows in its set.
    look.add(.pollSets)
    look.addSteps(count, by: 128) { .tell($0) }
    for process in look.processes { look.add(.children(process)) }
    look.add(.finish)
  }

  func gather(_ step: Look.Step, _ look: Look, _ program: Program) {
    switch step {
    case .ends(let process): read(process, &look.ends)
    case .settle: settle(look, program)
    case .attach(let range, let connections):
      for entry in look.entries[range] where (entry.description.kind == .tcp) == connections {
        attach(entry, look, program)
      }
    case .dropLost(let lines): dropLost(lines, look, program)
    case .poll(let range): poll(look.entries[range], look)
    case .pollSets: pollSets(look)
    case .tell(let range):
      for entry in look.entries[range] {
        tellTold(entry)
        if let source = source(entry) { look.observation.sources.append(source) }
      }
    case .children(let process): gatherChildren(of: process, look, program)
    default:
      gatherSound(look)
      look.observation.missingPort = missingPort(program)
    }
  }

  private func settle(_ look: Look, _ program: Program) {
    findInnerEnds(look, program)
    settleSets(look)
    var ports = Set(program.servedPorts)
    for entry in look.entries where entry.description.isListening {
      guard let port = entry.description.localPort, ports.insert(port).inserted else { continue }
      program.servedPorts.append(port)
    }
  }

  /// What a member is ready for although its set is not was told before, and would be no news.
  private func tellTold(_ entry: Look.Entry) {
    guard entry.role == .member else { return }
    let rest = entry.interest.subtracting(Interest(rawValue: entry.readiness.rawValue))
    entry.line?.found?.interest = rest
    entry.line?.found?.wasTold = rest.isDisjoint(with: [.readable, .writable, .priority])
  }

  /// Gives an entry its line, if it is to be watched. What only the program should be able to make ready is
  /// watched as well where a thread waits for it: its other end may have been handed to somebody outside.
  private func attach(_ entry: Look.Entry, _ look: Look, _ program: Program) {
    guard entry.isWatched, entry.description.peer != controlPath else { return }
    if entry.line == nil {
      let new = NewLine(
        number: entry.number, process: entry.process, key: entry.key, identity: entry.status.identity,
        description: entry.description, role: entry.role, interest: entry.interest)
      entry.line = addLine(new, origin(of: entry.description, in: program), look, program)
    }
    guard let line = entry.line else { return }
    (line.number, line.owner, line.duplicate) = (entry.number, entry.process.pidfd, entry.duplicate)
    line.description = entry.description
    line.found?.pid = entry.process.pid
    line.found?.role = entry.role
    line.found?.interest = entry.interest
    line.found?.set = entry.set
    line.found?.isInside = entry.reach == .inside
    line.found?.wasTold = false
  }

  /// A TCP connection that does not lead to a port on which the command listens was opened by the command.
  private func origin(of description: LineDescription, in program: Program) -> LineOrigin {
    guard description.kind == .tcp, let port = description.localPort else { return .other }
    return program.servedPorts.contains(port) ? .other : .opened
  }

  func addLine(
    _ new: NewLine, _ origin: LineOrigin, set: EpollSet? = nil, _ look: Look, _ program: Program
  ) -> HeldLine? {
    let modes = engine.registration(of: program.id)?.modes ?? []
    let kind: LullEngine.LineKind = modes == .externalAccessory ? .accessory : .voip
    program.newLineText = HeldLine.text(new.description)
    guard case .line(let id) = ask({ .lineFound(program.id, kind, origin, $0) }) else {
      look.observation.obstacle = .tooManyLines
      look.stop()
      return nil
    }
    let line = lineSlots.insert { slot, generation in
      HeldLine(
        id: id, number: new.number, owner: new.process.pidfd, identity: new.identity,
        description: new.description, kind: kind, offload: [], slot: slot, generation: generation,
        program: program, set: set)
    }
    line.found = HeldLine.Found(
      key: new.key, pid: new.process.pid, role: new.role, interest: new.interest)
    program.add(line)
    return line
  }

  /// Lines that no thread waits for any more stay while their descriptors are open. The last ones go first:
  /// nothing has to move up for them.
  private func dropLost(_ lines: ArraySlice<HeldLine>, _ look: Look, _ program: Program) {
    var rest = lines
    for _ in 0..<32 {
      guard let line = rest.popLast() else { break }
      dropIfLost(line, program)
      guard case .frozen = program.freezing else { return }
    }
    if !rest.isEmpty { look.addNext(.dropLost(rest)) }
  }

  private func dropIfLost(_ line: HeldLine, _ program: Program) {
    guard let found = line.found, found.role == nil, program.line(line.id) === line else { return }
    if let set = line.epollSet {
      guard !Process.isSame(set.duplicate.raw, as: line.number, of: found.pid) else { return }
      forget(line, of: program)
    } else if !isOpen(line, found) {
      drop(line, from: program)
      feed(.lineLost(program.id, line.id))
    } else if found.set?.isLarge == true {
      // Its set has grown: it is counted there.
      forget(line, of: program)
    }
  }

  private func isOpen(_ line: HeldLine, _ found: HeldLine.Found) -> Bool {
    guard let kind = try? OpenFile.kind(of: line.number, in: found.pid) else { return false }
    switch kind {
    case .socket(let inode), .pipe(let inode): return inode == line.identity.inode
    default: return true
    }
  }

  /// The line ends, and its connection does not.
  func forget(_ line: HeldLine, of program: Program) {
    drop(line, from: program)
    feed(.lineForgotten(program.id, line.id))
  }

  func missingPort(_ program: Program) -> UInt16? {
    program.command?.wakeOn.first { port in
      !program.lines.contains {
        $0.duplicate != nil && ($0.description.localPort == port || $0.description.peerPort == port)
      }
    }
  }
}
