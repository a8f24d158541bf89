import LullChannel
import LullEngine
import LullInspect
import LullSystem
import LullWire

/// The wake sources of each program: its declared lines, the lines that were found in it, their watch while
/// it sleeps, and the source of its last wake. Only this owner arms and disarms lines.
final class WakeSources {
  enum Progress {
    /// Lines remain to be armed or polled; the events end lines that turned out to be closed.
    case goesOn([Event])
    /// Events came before the watch was complete.
    case ready([Event])
    case done
  }

  let services: LineServices
  private var programs = AppTable<ProgramLines>()

  init(_ reactor: DaemonReactor, closer: Closer, releases: ReleaseQueue, journal: Journal) {
    services = LineServices(
      reactor: reactor, closer: closer, releases: releases, journal: journal, queues: QueueLooks(reactor))
  }

  func lines(of id: AppID) -> ProgramLines {
    if let lines = programs[id] { return lines }
    let lines = ProgramLines(id, services)
    programs[id] = lines
    return lines
  }

  // MARK: Lines

  func hasLines(_ id: AppID) -> Bool { programs[id]?.lines.isEmpty == false }

  /// `owner` is the process that has the descriptor.
  func hold(
    _ hold: Request.Hold, of owner: DescriptorBox, identity: FileIdentity, description: LineDescription,
    as line: LineID, in id: AppID
  ) {
    lines(of: id).add(
      services.slots.insert { slot in
        HeldLine(
          id: line, app: id, number: hold.descriptor, owner: owner, identity: identity,
          description: description, offload: hold.offload, slot: slot)
      })
  }

  func hasLine(_ line: LineID, of id: AppID) -> Bool { programs[id]?.line(line) != nil }

  func drop(_ line: LineID, of id: AppID) {
    guard let lines = programs[id], let line = lines.line(line) else { return }
    lines.drop(line)
  }

  /// Ends found lines when the program speaks for itself, and its declared lines when it leaves.
  func dropAll(of id: AppID) { programs[id]?.dropAll() }

  func handOver(_ line: LineID, of id: AppID, _ descriptor: DescriptorBox) {
    programs[id]?.line(line)?.duplicate = descriptor
  }

  func dropMissing(of id: AppID) -> [Event] {
    guard let lines = programs[id] else { return [] }
    return lines.lines.filter { $0.duplicate == nil }.map { line in
      lines.drop(line)
      return .lineLost(id, line.id)
    }
  }

  // MARK: Arming

  /// `dryRun`: the processes of a program that is only watched.
  func beginArming(of id: AppID, _ plan: WatchPlan, _ rules: CommandRules?, dryRun: [Int32]? = nil) {
    let lines = lines(of: id)
    lines.arming = Arming(plan, rules, isDryRun: dryRun != nil)
    lines.openFiles = dryRun.map(ProgramLines.openFiles(of:))
  }

  /// What has come to a program that is only watched.
  func lookDry(at id: AppID, _ pids: [Int32]) -> [Event] { programs[id]?.lookDry(at: pids) ?? [] }

  func armNext(of id: AppID) throws(SystemError) -> Progress {
    guard let lines = programs[id] else { return .done }
    return try lines.armNext()
  }

  func release(_ id: AppID) { programs[id]?.release() }

  func forget(_ id: AppID) {
    programs[id]?.release()
    programs[id]?.dropAll()
    programs[id] = nil
  }

  // MARK: Waking

  func program(wokenBy slot: Slot) -> (id: AppID, isDatagram: Bool)? {
    guard let line = services.slots[slot] else { return nil }
    return (line.app, line.description.kind == .udp)
  }

  func isSet(_ slot: Slot) -> Bool { services.slots[slot]?.epollSet != nil }

  /// A thread that waits in recvfrom takes the datagram, and its sender with it, before the daemon could
  /// ask.
  func noteSender(_ slot: Slot) {
    guard let line = services.slots[slot], let duplicate = line.duplicate else { return }
    line.found?.newSender = Socket.peekSender(duplicate.raw)
  }

  func fired(_ slot: Slot) { services.slots[slot]?.epollSet?.fired() }

  /// `isThawed`: the program runs already.
  func ready(_ slot: Slot, _ readiness: Readiness, isThawed: Bool) -> Event? {
    guard let line = services.slots[slot] else { return nil }
    return programs[line.app]?.ready(line, readiness, isThawed: isThawed)
  }

  func thawedAtOnce(_ id: AppID, after nanoseconds: Int64) {
    programs[id]?.wake.waitedMicroseconds = nanoseconds / 1000
  }

  func thawed(_ id: AppID, after nanoseconds: @autoclosure () -> Int64) {
    guard let lines = programs[id], lines.wake.awaitsThaw else { return }
    lines.wake.waitedMicroseconds = nanoseconds() / 1000
    lines.wake.awaitsThaw = false
  }

  /// The wait of an earlier wake's data says nothing of a wake without a line.
  func wokenWithoutLine(_ id: AppID) { programs[id]?.wake.waitedMicroseconds = nil }

  func wake(of id: AppID) -> WakeFacts { programs[id]?.wake ?? WakeFacts() }

  // MARK: Speaking for a sleeper

  /// The line is watched again.
  func answerPing(_ line: LineID, of id: AppID) -> OffloadResponder.Outcome? {
    guard let lines = programs[id], let line = lines.line(line), let duplicate = line.duplicate else {
      return nil
    }
    let outcome = services.responder.respond(line.offload, duplicate, log: services.journal)
    guard case .answered = outcome else { return outcome }
    lines.wake.awaitsThaw = false
    do {
      guard let registration = line.registration else { return .notCovered }
      try services.reactor.modify(registration, line.interest)
      return .answered
    } catch {
      // A line that is not watched would never wake the program again: the program is woken now.
      return .notCovered
    }
  }

  /// Sends a NAT keep-alive from each UDP socket to its peer, to `address`, or to the last sender. It is a
  /// double CRLF, which SIP ignores (RFC 3261, section 7.5).
  func keepPathsOpen(of id: AppID, to address: SocketAddress?) {
    let bytes = Array("\r\n\r\n".utf8)
    for line in programs[id]?.lines ?? [] where line.description.kind == .udp {
      guard let duplicate = line.duplicate else { continue }
      if !line.description.peer.isEmpty {
        services.journal.ignoring(.closed, try Socket.write(duplicate.raw, bytes))
      } else if let sender = address ?? line.found?.lastSender {
        services.journal.ignoring(.closed, try Socket.sendDatagram(duplicate.raw, bytes, to: sender))
      }
    }
  }

  // MARK: Observation

  func known(of id: AppID) -> KnownFiles { KnownFiles(lines(of: id)) }

  /// Until an observation finds a line again, it does not count as found.
  func beginObservation(at id: AppID) { for line in lines(of: id).lines { line.found?.role = nil } }

  func takeDeclared(of id: AppID) throws(SystemError) -> [Event] {
    guard let lines = programs[id] else { return [] }
    return try lines.takeDeclared()
  }

  func add(_ found: FoundSource, as line: LineID, of id: AppID) { lines(of: id).add(found, as: line) }

  func update(_ found: FoundSource, of id: AppID) -> Bool { programs[id]?.update(found) == true }

  /// A member that is ready although its set is not is no news: the program was told before.
  func told(_ line: LineID, of id: AppID, rest: Interest) {
    guard let line = programs[id]?.line(line) else { return }
    line.found?.interest = rest
    line.found?.wasTold = rest.isDisjoint(with: [.readable, .writable, .priority])
  }

  func forget(_ key: FileKey, of id: AppID) -> Event? { programs[id]?.forget(key) }

  /// From the last line on. The event is told to the engine before the rest is checked.
  func dropLost(of id: AppID, before last: LineID?) -> (event: Event?, rest: LineID?) {
    programs[id]?.dropLost(before: last) ?? (nil, nil)
  }

  // MARK: Copies

  /// Lines that the program has closed, and those that may not be taken, are left out.
  func copiesOfDeclared(of id: AppID) -> [LineCopy] {
    (programs[id]?.lines ?? []).compactMap { line in
      guard line.found == nil else { return nil }
      return copy(line, of: line.duplicate ?? (try? line.take(services.closer)) ?? nil, as: line.id)
    }
  }

  /// In the order of the processes and of their numbers. There are duplicates only while the command sleeps.
  func copiesOfFound(of id: AppID) -> [LineCopy] {
    let found = (programs[id]?.lines ?? []).compactMap { line in line.found.map { (line, $0) } }
      .filter { !$0.1.isInside }
    let ordered = found.sorted { ($0.1.pid, $0.0.number) < ($1.1.pid, $1.0.number) }
    return ordered.compactMap { line, _ in copy(line, of: line.duplicate, as: nil) }
  }

  private func copy(_ line: HeldLine, of duplicate: DescriptorBox?, as id: LineID?) -> LineCopy? {
    guard let duplicate,
      let descriptor = services.journal.ignoring(
        [], DescriptorBox(try .duplicating(duplicate.raw), closer: services.closer))
    else { return nil }
    return LineCopy(
      line: id, descriptor: descriptor, identity: line.identity, description: line.description)
  }

  // MARK: Status

  /// A set ends the page when its members are told as well. The members of a small set are lines themselves.
  func page(of id: AppID, after last: LineID?, atMost count: Int, endsAtSet: Bool) -> LinePage? {
    guard let program = programs[id] else { return nil }
    let some = program.lines(after: last, atMost: count)
    guard let end = some.last else { return nil }
    guard endsAtSet, let place = some.firstIndex(where: { $0.epollSet != nil }) else {
      return LinePage(views: views(some), last: end.id)
    }
    return LinePage(
      views: views(some[...place]), last: some[place].id,
      members: some[place].epollSet?.members(besides: program.lines) ?? [])
  }

  func descriptions(of id: AppID) -> [LineDescription] {
    described(programs[id]?.lines[...] ?? []).map(\.description)
  }

  private func views(_ lines: ArraySlice<HeldLine>) -> [ShownLine] {
    described(lines).compactMap { ShownLine($0, services.journal) }
  }

  private func described(_ lines: ArraySlice<HeldLine>) -> ArraySlice<HeldLine> {
    for line in lines { line.describeAgain(services.closer) }
    return lines
  }

  /// Nil when the descriptor cannot be described: it may be closed.
  func member(_ number: Int32, of line: LineID, _ id: AppID) -> MemberView? {
    programs[id]?.line(line).flatMap { MemberView(number, of: $0, services.journal) }
  }

  func text(of line: LineID, _ id: AppID) -> String? { programs[id]?.line(line)?.description.text }
}

struct KnownFiles {
  private let lines: ProgramLines

  init(_ lines: ProgramLines) { self.lines = lines }

  func contains(_ file: FileIdentity) -> Bool { lines.lines.contains { $0.identity == file } }

  subscript(key: FileKey) -> KnownFile? {
    guard let line = lines.line(key) else { return nil }
    return KnownFile(
      line: line.id, identity: line.identity, description: line.description,
      set: line.epollSet.map { ($0.duplicate, $0.facts) })
  }
}

/// A duplicate of a line that outlives the sleep of its program.
struct LineCopy {
  /// Nil for a socket of a command.
  let line: LineID?
  let descriptor: DescriptorBox
  let identity: FileIdentity
  let description: LineDescription
}

/// What the shell knows of a program's wakes, and the engine does not.
struct WakeFacts {
  /// True when a line became ready while the program slept, and the thaw waits for the engine.
  var awaitsThaw = false
  /// From the moment at which the data was seen to the thaw.
  var waitedMicroseconds: Int64?
  private var source: (line: LineDescription, sender: SocketAddress?)?
  private var size: Int?

  mutating func woken(by line: LineDescription, sender: SocketAddress?, size: Int?) {
    (source, self.size) = ((line, sender), size)
  }

  var peer: String? {
    guard let source else { return nil }
    if let sender = source.sender { return "\(sender)" }
    return source.line.peer.isEmpty ? nil : source.line.peer
  }

  /// The peer without its port; nil where it has none.
  var host: String? {
    guard let peer, let colon = peer.lastIndex(of: ":") else { return peer }
    return peer[colon...].dropFirst().allSatisfy(\.isNumber) ? String(peer[..<colon]) : peer
  }

  var text: String? {
    guard let source else { return nil }
    if let size { return "\(source.line.text), \(size) connections" }
    return source.line.text + (peer.map { " from \($0)" } ?? "")
  }
}
