import LullEngine
import LullSystem

// Epoll sets: a kept duplicate of the set is watched instead of one of each connection.
extension Daemon {
  func lookAtSet(
    _ process: Look.Process, _ number: Int32, _ look: Look, _ program: Program
  ) throws(SystemError) {
    guard !look.sets.contains(where: { $0.epollSet?.isNumber(number, of: process.pid) == true }),
      let line = try keep(number, of: process, look, program), let set = line.epollSet
    else { return }
    look.sets.append(line)
    line.found?.role = .set
    set.looks += 1
    // To read the members of a large set takes time in proportion to them: it is done at every 256th look,
    // and at each while the process blocks signals, because a signalfd must not be polled.
    let isDue =
      set.looks % EpollSet.looksBetweenReadings == 0 || process.blocksSignals || set.hasChanged
    if !set.isLarge || isDue { try readMembers(of: set, line.identity, process, look, program) }
    // A report that is told once may be in the hands of a thread that was cut off.
    if set.isLarge || set.tellsOnce { look.add(threads: process.waiting(on: number), of: process) }
    if set.holdsSignals { process.holdsSignals = true }
  }

  /// The kept duplicate, if the number still means the same set, or a new one.
  private func keep(
    _ number: Int32, of process: Look.Process, _ look: Look, _ program: Program
  ) throws(SystemError) -> HeldLine? {
    let key = FileKey.number(number, of: process.pid)
    if let line = program.known[key] {
      if let set = line.epollSet, Process.isSame(set.duplicate.raw, as: number, of: process.pid) {
        return line
      }
      forget(line, of: program)
    }
    let duplicate = try duplicate(number, of: process.pidfd)
    let new = NewLine(
      number: number, process: process, key: key, identity: try FileStatus.of(duplicate.raw).identity,
      description: LineDescription(set: number), role: .set, interest: .readable)
    return addLine(
      new, .other, set: EpollSet(number: number, pid: process.pid, duplicate: duplicate), look, program)
  }

  /// The members of a small set are taken too, so that a wake names the connection; those of one that must
  /// not be watched as a whole are watched themselves.
  private func readMembers(
    of set: EpollSet, _ anonymous: FileIdentity, _ process: Look.Process, _ look: Look, _ program: Program
  ) throws(SystemError) {
    let members = try Process.epollMembers(of: process.pid, number: set.number)
    let most = engine.policy.maximumDescriptors
    let unnamed = members.filter { $0.inode == anonymous.inode }
      .compactMap { try? OpenFile.kind(of: $0.number, in: process.pid) }
    let bells = program.sessions.compactMap(\.inode)
    set.read(members.count)
    set.holdsSignals = unnamed.contains(.signals)
    set.tellsOnce = members.contains { !$0.interest.isDisjoint(with: [.edge, .oneShot]) }
    set.fallsBack =
      program.command?.choosesPorts == true || set.holdsSignals || unnamed.contains(.timer)
      || members.contains { bells.contains($0.inode) }
    let isNeeded =
      set.fallsBack || engine.registration(of: program.id)?.udpKeepAlive != nil
      || program.command?.tcpKeepAlive != nil
    set.isLarge = members.count > (isNeeded ? most : EpollSet.fewMembers)
    set.reach = .inside
    guard !set.isLarge else {
      if set.holdsSignals { look.observation.obstacle = .tooManyDescriptors(members.count) }
      set.fallsBack = false
      if members.count > unnamed.count { set.reach = .outside }
      return
    }
    for member in members { look.add(.member(process, member, set)) }
  }

  /// Takes one member of a set.
  func take(
    _ member: EpollMember, of set: EpollSet, _ process: Look.Process, _ look: Look, _ program: Program
  ) throws(SystemError) {
    let interest = member.interest.intersection([.readable, .writable, .priority, .readHangUp])
    let entry = try take(
      member.number, of: process, interest, set.fallsBack ? .open : .member, look, program,
      inode: member.inode)
    entry?.set = set
    // What is no entry can be another set.
    if entry == nil, (try? OpenFile.kind(of: member.number, in: process.pid)) == .epoll {
      look.nested.append((set, process.pid, member.number))
    }
  }

  private func settleNested(_ look: Look) {
    // A set can stand in a set at most four deep.
    for _ in 0..<4 {
      for (outer, pid, number) in look.nested {
        for case let inner? in look.sets.map(\.epollSet) where inner.isNumber(number, of: pid) {
          outer.holdsSignals = outer.holdsSignals || inner.holdsSignals
          outer.fallsBack = outer.fallsBack || inner.fallsBack
        }
      }
    }
  }

  /// Settles what needs all members of a small set: whether it falls back, as one with the connection to this
  /// daemon does, and whether something outside can make it ready.
  func settleSets(_ look: Look) {
    settleNested(look)
    var membersOf: [ObjectIdentifier: [Look.Entry]] = [:]
    for entry in look.entries { entry.set.map { membersOf[ObjectIdentifier($0), default: []].append(entry) } }
    for line in look.sets {
      guard let set = line.epollSet, !set.isLarge else { continue }
      let members = membersOf[ObjectIdentifier(set)] ?? []
      if members.contains(where: { $0.description.peer == controlPath }) { set.fallsBack = true }
      if set.fallsBack {
        for entry in members where entry.role == .member { entry.role = .open }
      }
      set.reach = members.contains { $0.reach == .outside } ? .outside : .inside
      if set.holdsSignals, let process = look.processes.first(where: { $0.pid == set.pid }) {
        process.holdsSignals = true
      }
    }
  }
}

extension Look.Process {
  /// The threads that wait for a set.
  func waiting(on number: Int32) -> [Int32] {
    states.compactMap { $0.wait == .epoll(number) ? $0.thread : nil }
  }
}
