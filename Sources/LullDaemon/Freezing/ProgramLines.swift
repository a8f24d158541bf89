import LullChannel
import LullEngine
import LullInspect
import LullSystem

struct LineServices {
  let reactor: DaemonReactor
  let closer: Closer
  let releases: ReleaseQueue
  let journal: Journal
  let queues: QueueLooks
  let responder = OffloadResponder()
  let slots = LineSlots()
}

final class LineSlots {
  private var table = SlotTable<HeldLine>()

  subscript(slot: Slot) -> HeldLine? { table[slot] }

  func insert(_ make: (Slot) -> HeldLine) -> HeldLine { table.insert(making: make) }

  func remove(_ slot: Slot) { table.remove(slot) }
}

/// The lines of one program, and the facts about its last wake. It never leaves `WakeSources`.
final class ProgramLines {
  let app: AppID
  let services: LineServices
  /// In the order of their ids.
  private(set) var lines: [HeldLine] = []
  private var known: [FileKey: HeldLine] = [:]
  var wake = WakeFacts()
  var arming: Arming?
  /// So many files were open in a program that is only watched.
  var openFiles: Int?

  init(_ app: AppID, _ services: LineServices) { (self.app, self.services) = (app, services) }

  func line(_ id: LineID) -> HeldLine? {
    guard let place = place(of: id) else { return nil }
    return lines[place]
  }

  func line(_ key: FileKey) -> HeldLine? { known[key] }

  func place(from id: LineID) -> Int { lines.firstPlace { $0.id >= id } }

  func lines(after last: LineID?, atMost count: Int) -> ArraySlice<HeldLine> {
    let start = last.map { place(from: LineID($0.number &+ 1)) } ?? 0
    return lines[start..<min(lines.count, start + count)]
  }

  private func place(of id: LineID) -> Int? {
    let place = place(from: id)
    return place < lines.count && lines[place].id == id ? place : nil
  }

  func add(_ line: HeldLine) {
    lines.insert(line, at: place(from: line.id))
    if let key = line.found?.key { known[key] = line }
  }

  /// The line need not have been armed.
  func drop(_ line: HeldLine) {
    close(line)
    if let place = place(of: line.id), lines[place] === line { lines.remove(at: place) }
    if let key = line.found?.key, known[key] === line { known[key] = nil }
  }

  func dropAll() {
    for line in lines { close(line) }
    (lines, known) = ([], [:])
  }

  private func close(_ line: HeldLine) {
    if let set = line.epollSet { services.releases.add(set.duplicate, set.registration) }
    if let duplicate = line.duplicate {
      services.releases.add(duplicate, line.registration)
      (line.duplicate, line.registration) = (nil, nil)
    }
    services.slots.remove(line.slot)
  }

  /// A set that is watched as a whole is only disarmed.
  func release() {
    (arming, openFiles) = (nil, nil)
    for line in lines {
      line.found?.received = nil
      if let set = line.epollSet {
        set.disarm(in: services.reactor)
      } else if let duplicate = line.duplicate {
        services.releases.add(duplicate, line.registration)
        (line.duplicate, line.registration) = (nil, nil)
        line.found?.oldNews = nil
        line.found?.newSender = nil
        line.found?.queue = HeldLine.Queue()
      }
    }
  }

  // MARK: Found lines

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

  func isOpen(_ line: HeldLine, _ found: HeldLine.Found) -> Bool {
    guard let kind = services.journal.ignoring(.gone, try OpenFile.kind(of: line.number, in: found.pid))
    else { return false }
    switch kind {
    case .socket(let inode), .pipe(let inode): return inode == line.identity.inode
    default: return true
    }
  }

  // MARK: Readiness

  func ready(_ line: HeldLine, _ readiness: Readiness, isThawed: Bool) -> Event? {
    guard line.epollSet != nil || line.duplicate != nil, !line.isOldNews(readiness) else { return nil }
    if !isThawed { wake.awaitsThaw = true }
    let (named, what) = name(line, readiness)
    noteSource(named, what)
    return .ready(app, named.id, classify(named, what))
  }

  /// The connection behind the readiness of a small set. A program that runs already may have read it: then
  /// nobody can tell, and the set stands for it.
  func name(_ line: HeldLine, _ readiness: Readiness) -> (HeldLine, Readiness) {
    guard let set = line.epollSet else { return (line, readiness.union(line.ending(readiness))) }
    guard !set.facts.isLarge else { return (line, readiness) }
    let members = lines.filter { $0.duplicate != nil && $0.found?.outerSet == line.id }
    var entries = members.map { PollEntry($0.duplicate?.raw ?? -1, $0.interest.subtracting(.oneShot)) }
    guard areReady(&entries) else {
      return (members.count == 1 ? members[0] : line, .readable)
    }
    for (member, entry) in zip(members, entries) where !entry.readiness.subtracting(.writable).isEmpty {
      let readiness = entry.readiness.subtracting(.writable)
      return (member, readiness.union(member.ending(readiness)))
    }
    for (member, entry) in zip(members, entries) where !entry.readiness.isEmpty {
      return (member, entry.readiness)
    }
    return (line, .readable)
  }

  func classify(_ line: HeldLine, _ readiness: Readiness) -> LineReadiness {
    if line.epollSet != nil { return .data }
    if readiness.contains(.error) { return .error }
    // The bytes were there before: the room in the send buffer is the news.
    if readiness.contains(.writable), line.found?.isDisregarded == true { return .writable }
    if line.description.isListening { return .accept }
    if readiness.contains(.readHangUp) || readiness.contains(.hangUp) { return .closed }
    if readiness == .writable { return .writable }
    if !line.offload.isEmpty, let duplicate = line.duplicate,
      services.responder.covers(line.offload, duplicate, log: services.journal)
    {
      return .ping
    }
    return .data
  }

  /// The sender of a datagram is known only until the program has read it.
  private func noteSource(_ line: HeldLine, _ readiness: Readiness) {
    var sender: SocketAddress?
    if line.description.kind == .udp, !readiness.contains(.error), let duplicate = line.duplicate {
      sender = line.found?.newSender ?? Socket.peekSender(duplicate.raw)
    }
    let size = line.epollSet.flatMap { $0.facts.isLarge ? $0.count : nil }
    wake.woken(by: line.description, sender: sender, size: size)
    guard let sender else { return }
    line.found?.lastSender = sender
    line.found?.newSender = nil
  }
}

extension HeldLine {
  /// The end of a connection, added to its readiness: it also wakes a thread that only waits for bytes.
  fileprivate func ending(_ readiness: Readiness) -> Readiness {
    guard readiness.contains(.readable), found != nil, description.kind == .tcp, let duplicate else {
      return []
    }
    return (try? Socket.poll(duplicate.raw, .readHangUp, timeoutMilliseconds: 0)) ?? []
  }

  /// True when a line is readable only by bytes that were there long before.
  fileprivate func isOldNews(_ readiness: Readiness) -> Bool {
    guard let oldNews = found?.oldNews, let duplicate else { return false }
    found?.oldNews = nil
    return oldNews
      == Socket.trace(duplicate.raw, description: description, readiness: readiness.subtracting(.writable))
  }
}
