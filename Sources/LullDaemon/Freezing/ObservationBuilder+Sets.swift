import LullEngine
import LullInspect
import LullSystem

// Epoll sets: a kept duplicate of the set is watched instead of a duplicate of each connection.
extension ObservationBuilder {
  func observeSet(_ process: Process, _ number: Int32) throws(SystemError) -> Observer.Outcome? {
    guard !sets.contains(where: { $0.isNumber(number, of: process.pid) }) else { return nil }
    let key = FileKey.number(number, of: process.pid)
    guard !isStale(key, number, of: process) else {
      addNext(.set(process, number))
      return .stale(key)
    }
    let set = try take(key, number, of: process)
    set.facts.observations += 1
    // Reading the members of a large set takes time in proportion to them. It is done in every 256th
    // observation, and in each while the process blocks signals, because a signalfd must not be polled.
    let isDue =
      set.facts.observations % SetFacts.observationsBetweenReadings == 0 || process.blocksSignals
      || set.facts.hasChanged(in: process.pid)
    if !set.facts.isLarge || isDue { try readMembers(of: set) }
    // A report that the kernel gives once may be in the hands of a thread that was cut off.
    if set.facts.isLarge || set.facts.tellsOnce { add(threads: process.waiting(on: number), of: process) }
    if set.facts.holdsSignals { process.holdsSignals = true }
    pending = [.set(set)]
    return .found([set.source])
  }

  /// True when the number is known and means another file by now.
  private func isStale(_ key: FileKey, _ number: Int32, of process: Process) -> Bool {
    guard let known = program.known[key] else { return false }
    guard let set = known.set else { return true }
    return !LullSystem.Process.isSame(set.duplicate.raw, as: number, of: process.pid)
  }

  private func take(_ key: FileKey, _ number: Int32, of process: Process) throws(SystemError) -> WaitedSet {
    let set: WaitedSet
    if let known = program.known[key], let kept = known.set {
      set = WaitedSet(
        process, number: number, duplicate: kept.duplicate, key: key, identity: known.identity,
        facts: kept.facts, line: known.line)
    } else {
      let duplicate = try services.duplicate(number, of: process.pidfd)
      let identity = try FileStatus.of(duplicate.raw).identity
      set = WaitedSet(
        process, number: number, duplicate: duplicate, key: key, identity: identity, facts: SetFacts(),
        line: nil)
    }
    sets.append(set)
    return set
  }

  /// Reads and takes the members of a small set, so that a wake names the connection. The members of a set
  /// that must not be watched as a whole are watched themselves.
  private func readMembers(of set: WaitedSet) throws(SystemError) {
    let pid = set.process.pid
    let members = try LullSystem.Process.epollMembers(of: pid, number: set.number)
    let most = services.policy.maximumDescriptors
    let unnamed = members.filter { $0.inode == set.identity.inode }
      .compactMap { kind(of: $0.number, in: pid) }
    var facts = set.facts
    defer { set.facts = facts }
    facts.read(members.count, in: pid)
    facts.holdsSignals = unnamed.contains(.signals)
    facts.tellsOnce = members.contains { !$0.interest.isDisjoint(with: [.edge, .oneShot]) }
    facts.fallsBack =
      program.command?.choosesPorts == true || facts.holdsSignals || unnamed.contains(.timer)
      || members.contains { program.doorbells.contains($0.inode) }
    let isNeeded = facts.fallsBack || program.hasUDPKeepAlive || program.command?.tcpKeepAlive != nil
    facts.isLarge = members.count > (isNeeded ? most : SetFacts.fewMembers)
    facts.reach = .inside
    guard !facts.isLarge else {
      if facts.holdsSignals { observation.obstacle = .tooManyDescriptors(members.count) }
      facts.fallsBack = false
      if members.count > unnamed.count { facts.reach = .outside }
      return
    }
    for member in members { add(.member(set.process, member, set)) }
  }

  func take(_ member: EpollMember, of set: WaitedSet, _ process: Process) throws(SystemError) {
    let interest = member.interest.intersection([.readable, .writable, .priority, .readHangUp])
    let role: WakeSource.Role = set.facts.fallsBack ? .open : .member
    let entry = try take(member.number, of: process, interest: interest, role: role, inode: member.inode)
    entry?.set = set
    // A member that gives no entry can be another set.
    if entry == nil, kind(of: member.number, in: process.pid) == .epoll {
      nested.append((set, process.pid, member.number))
    }
  }

  private func settleNested() {
    // The kernel lets sets nest at most four deep.
    for _ in 0..<4 {
      for (outer, pid, number) in nested {
        for inner in sets where inner.isNumber(number, of: pid) {
          outer.facts.holdsSignals = outer.facts.holdsSignals || inner.facts.holdsSignals
          outer.facts.fallsBack = outer.facts.fallsBack || inner.facts.fallsBack
        }
      }
    }
  }

  /// Settles the facts that need all members of a small set. The set falls back to its members when it has
  /// the connection to this daemon, or one to a sound server by which nobody is to be woken. Its reach is
  /// outside when the reach of a member is.
  func settleSets() {
    settleNested()
    var membersOf: [ObjectIdentifier: [Entry]] = [:]
    for entry in entries { entry.set.map { membersOf[ObjectIdentifier($0), default: []].append(entry) } }
    for set in sets where !set.facts.isLarge {
      let members = membersOf[ObjectIdentifier(set)] ?? []
      if members.contains(where: { $0.description.peer == services.controlPath || $0.reach == .doorbell }) {
        set.facts.fallsBack = true
      }
      if set.facts.fallsBack {
        for entry in members where entry.role == .member { entry.role = .open }
      }
      set.facts.reach = members.contains { $0.reach == .outside } ? .outside : .inside
      if set.facts.holdsSignals { set.process.holdsSignals = true }
    }
  }
}

extension ObservationBuilder.WaitedSet {
  var source: FoundSource {
    FoundSource(
      line: line, key: key, number: number, pid: process.pid, owner: process.pidfd, identity: identity,
      description: LineDescription(set: number), role: .set, interest: .readable, duplicate: duplicate,
      facts: facts)
  }
}

extension ObservationBuilder.Process {
  func waiting(on number: Int32) -> [Int32] {
    states.compactMap { $0.wait == .epoll(number) ? $0.thread : nil }
  }
}
