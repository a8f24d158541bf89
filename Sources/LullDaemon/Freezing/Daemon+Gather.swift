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

  func gather(_ look: Look, _ program: Program) {
    findInnerEnds(look, program)
    settleSets(look)
    for entry in look.entries where entry.description.isListening {
      guard let port = entry.description.localPort, !program.servedPorts.contains(port) else { continue }
      program.servedPorts.append(port)
    }
    // Connections last: where they come from is known when every listening socket has been seen.
    for entry in look.entries where entry.description.kind != .tcp { attach(entry, look, program) }
    for entry in look.entries where entry.description.kind == .tcp { attach(entry, look, program) }
    dropLost(program)
    guard case .frozen = program.freezing else { return }
    pollSources(look)
    for entry in look.entries where entry.role == .member {
      // What it is ready for although its set is not was told before, and would be no news.
      let rest = entry.interest.subtracting(Interest(rawValue: entry.readiness.rawValue))
      entry.line?.found?.interest = rest
      entry.line?.found?.wasTold = rest.isDisjoint(with: [.readable, .writable, .priority])
    }
    look.observation.sources = look.sets.compactMap(source(ofSet:)) + look.entries.compactMap(source)
    gatherSound(look)
    gatherChildren(look, program)
    look.observation.missingPort = missingPort(program)
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

  /// Lines that no thread waits for any more stay while their descriptors are open.
  private func dropLost(_ program: Program) {
    for line in program.lines {
      guard let found = line.found, found.role == nil else { continue }
      if let set = line.epollSet {
        guard !Process.isSame(set.duplicate.raw, as: line.number, of: found.pid) else { continue }
        forget(line, of: program)
      } else if !isOpen(line, found) {
        drop(line, from: program)
        feed(.lineLost(program.id, line.id))
      } else if found.set?.isLarge == true {
        // Its set has grown: it is counted there.
        forget(line, of: program)
      }
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
