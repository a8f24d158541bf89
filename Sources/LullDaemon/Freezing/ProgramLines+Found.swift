import LullEngine
import LullInspect
import LullSystem

extension ProgramLines {
  func add(_ found: FoundSource, as id: LineID) {
    let line = services.slots.insert { slot in
      HeldLine(
        id: id, app: app, number: found.number, owner: found.owner, identity: found.identity,
        description: found.description, offload: [], slot: slot,
        set: found.facts.map {
          EpollSet(number: found.number, pid: found.pid, duplicate: found.duplicate, facts: $0)
        })
    }
    line.found = HeldLine.Found(
      key: found.key, pid: found.pid, role: found.role, interest: found.interest)
    add(line)
    update(line, found)
  }

  /// Returns false when the source is no line any more.
  func update(_ found: FoundSource) -> Bool {
    guard let id = found.line, let line = line(id), line.found != nil else { return false }
    update(line, found)
    return true
  }

  private func update(_ line: HeldLine, _ found: FoundSource) {
    line.found?.role = found.role
    if let facts = found.facts {
      line.epollSet?.facts = facts
      return
    }
    (line.number, line.owner, line.duplicate) = (found.number, found.owner, found.duplicate)
    line.description = found.description
    line.found?.pid = found.pid
    line.found?.interest = found.interest
    line.found?.outerSet = found.outerSet
    line.found?.isInside = found.isInside
    line.found?.wasTold = false
  }

  /// Ends the line of a number that means another set by now; the connection itself does not end.
  func forget(_ key: FileKey) -> Event? {
    guard let line = line(key) else { return nil }
    return forget(line)
  }

  private func forget(_ line: HeldLine) -> Event {
    drop(line)
    return .lineForgotten(app, line.id)
  }

  /// Ends lines whose descriptors are closed; a line that no thread waits for stays while its descriptor is
  /// open. The last lines go first, so that nothing has to move up. Returns the place to go on from; the
  /// event is told to the engine before that.
  func dropLost(before last: LineID?) -> (event: Event?, rest: LineID?) {
    var place = last.map { self.place(from: $0) } ?? lines.count
    for _ in 0..<32 {
      guard place > 0 else { return (nil, nil) }
      place -= 1
      let line = lines[place]
      if let event = dropIfLost(line) { return (event, line.id) }
    }
    return (nil, place > 0 ? lines[place].id : nil)
  }

  private func dropIfLost(_ line: HeldLine) -> Event? {
    guard let found = line.found, found.role == nil else { return nil }
    if let set = line.epollSet {
      return Process.isSame(set.duplicate.raw, as: line.number, of: found.pid) ? nil : forget(line)
    }
    guard isOpen(line, found) else {
      drop(line)
      return .lineLost(app, line.id)
    }
    // The member's set has grown: the connection is counted in the set.
    let isCounted = found.outerSet.flatMap { self.line($0)?.epollSet?.facts.isLarge } == true
    return isCounted ? forget(line) : nil
  }

  private func isOpen(_ line: HeldLine, _ found: HeldLine.Found) -> Bool {
    guard let kind = services.journal.ignoring(.gone, try OpenFile.kind(of: line.number, in: found.pid))
    else { return false }
    switch kind {
    case .socket(let inode), .pipe(let inode): return inode == line.identity.inode
    default: return true
    }
  }
}
