import LullChannel
import LullEngine
import LullInspect
import LullSystem
import LullWire

extension ObservationBuilder {
  /// Takes a descriptor of a frozen process, unless it cannot be watched or does not concern the daemon.
  @discardableResult
  func take(
    _ number: Int32, of process: Process, interest: Interest, role: WakeSource.Role, inode: UInt64?
  ) throws(SystemError) -> Entry? {
    let duplicate: DescriptorBox
    do {
      duplicate = try process.takeCopy(number, services)
    } catch {
      guard error.isBadDescriptor || error.isNoSuchProcess else { throw error }
      // The descriptor was closed under the thread, or the process has lost its main thread and with it its
      // numbers: the awaited source cannot be watched.
      guard role == .waited || inode != nil && role == .open else { return nil }
      throw SystemError.notOpen("descriptor \(number) of process \(process.pid)")
    }
    let status = try FileStatus.of(duplicate.raw)
    if let inode, inode != status.identity.inode {
      // A set shows a number that has been closed and given to another file. The file is watched in the set,
      // unless the set falls back to its members.
      guard role == .open else { return nil }
      throw SystemError.stale("descriptor \(number) of process \(process.pid)")
    }
    guard role == .member || canBeWatched(duplicate, number, of: process, status: status, role: role) else {
      if role == .waited { passOver(interest, of: process) }
      return nil
    }
    let key = FileKey(status, number: number, of: process.pid)
    if let known = entry(key) {
      known.join(interest, role)
      return known
    }
    guard
      let entry = examine(
        number, of: process, duplicate: duplicate, status: status, interest: interest, role: role)
    else { return nil }
    add(entry)
    if entries.count > services.policy.maximumLines {
      observation.obstacle = .tooManyLines
      stop()
    }
    return entry
  }

  /// False for a file without a poll of its own, such as /dev/null, which is always ready and cannot be
  /// watched.
  private func canBeWatched(
    _ duplicate: DescriptorBox, _ number: Int32, of process: Process, status: FileStatus,
    role: WakeSource.Role
  ) -> Bool {
    switch status.shape {
    case .socket, .pipe: return true
    // A queue of messages or a table of /proc can be watched.
    case .stored: if role == .open { return false }
    case .characterDevice: break
    case .anonymous:
      // A signalfd must not be polled, and the other kinds that have a name can be watched.
      if role == .waited {
        guard case .anonymous = kind(of: number, in: process.pid) else { return true }
      }
    }
    do {
      try services.reactor.probe(duplicate.raw)
      return true
    } catch {
      // A full table of watches says nothing of the file.
      return role == .waited && !error.isNotPermitted
    }
  }

  /// A thread waits for a file that poll(2) calls ready to be read and written at all times. When it asked
  /// for neither, nothing comes from there. Otherwise it is in a call that nobody else can watch.
  private func passOver(_ interest: Interest, of process: Process) {
    guard !interest.isDisjoint(with: [.readable, .writable]) else { return }
    observation.threads.append(ObservedThread(process: process.pid, thread: process.pid, wait: .works))
    stop()
  }

  private func examine(
    _ number: Int32, of process: Process, duplicate: DescriptorBox, status: FileStatus,
    interest: Interest, role: WakeSource.Role
  ) -> Entry? {
    let line = program.known[FileKey(status, number: number, of: process.pid)]
    let file = kind(number, of: process, status: status)
    if let name = reportingOnce(file, status) {
      observation.obstacle = .noDescriptor(Explanation(.notBeside, text: name).line)
      stop()
      return nil
    }
    let description = describe(duplicate, file: file, line: line)
    guard
      let reach = reach(
        number, of: process, duplicate: duplicate, status: status, file: file, description: description)
    else { return nil }
    guard program.command?.watches(description) != false else { return nil }
    return Entry(
      process, number: number, duplicate: duplicate, status: status, file: file, description: description,
      role: role, reach: reach, interest: interest,
      line: line?.identity == status.identity ? line?.line : nil)
  }

  /// The name of a file that reports a change once, to who polls first: a table such as mountinfo, a trigger
  /// of pressure, a perf event.
  private func reportingOnce(_ file: OpenFile.Kind?, _ status: FileStatus) -> String? {
    switch file {
    case .path(let path)
    where status.shape == .stored && (path.hasPrefix("/proc/") || path.hasSuffix(".pressure")):
      path
    case .anonymous("[perf_event]"): "perf_event"
    default: nil
    }
  }

  /// A file without an inode of its own is known by its link alone.
  private func kind(_ number: Int32, of process: Process, status: FileStatus) -> OpenFile.Kind? {
    switch status.shape {
    case .socket: .socket(inode: status.identity.inode)
    case .pipe, .characterDevice, .anonymous, .stored: kind(of: number, in: process.pid)
    }
  }

  private func describe(
    _ duplicate: DescriptorBox, file: OpenFile.Kind?, line: KnownFile?
  ) -> LineDescription {
    if let line { return Socket.describe(duplicate.raw, known: line.description) }
    let description = Socket.describe(duplicate.raw)
    if description.kind == .other, description.local.isEmpty, let file {
      return LineDescription(naming: file)
    }
    return description
  }

  /// The members of the process's sets are left out.
  func list(_ process: Process) throws(SystemError) {
    guard !process.isListed else { return }
    process.isListed = true
    var covered: Set<Int32> = []
    for set in sets where set.process.pid == process.pid && set.facts.isLarge && !set.facts.fallsBack {
      let members = try LullSystem.Process.epollMembers(of: process.pid, number: set.number)
      covered.formUnion(members.map(\.number))
    }
    let files = try LullSystem.Process.openFiles(
      of: process.pid, limit: services.policy.maximumDescriptors + covered.count)
    // The list is empty too when only the main thread has ended, while the others have files open.
    guard !files.isEmpty else {
      observation.obstacle = .noDescriptor(Explanation(.descriptorsHidden, pid: process.pid).line)
      return stop()
    }
    // Standard streams last: by then a file that is open under another number as well is known.
    let ordered = files.drop { $0.isStandard } + files.prefix { $0.isStandard }
    for file in ordered where file.isReadable && file.kind.mayCall && !covered.contains(file.number) {
      add(.descriptor(process, file.number, [.readable, .readHangUp], .open))
    }
  }

  // MARK: Sets

  // Epoll sets: a kept duplicate of the set is watched instead of a duplicate of each connection.

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

  private func isStale(_ key: FileKey, _ number: Int32, of process: Process) -> Bool {
    guard let known = program.known[key] else { return false }
    guard let set = known.set else { return true }
    return !LullSystem.Process.isSame(set.duplicate.raw, as: number, of: process.pid)
  }

  private func take(_ key: FileKey, _ number: Int32, of process: Process) throws(SystemError) -> WaitedSet {
    let set: WaitedSet
    if let known = program.known[key], let last = known.set {
      set = WaitedSet(
        process, number: number, duplicate: last.duplicate, key: key, identity: known.identity,
        facts: last.facts, line: known.line)
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
      program.command?.choosesLines == true || facts.holdsSignals || unnamed.contains(.timer)
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

extension OpenFile {
  fileprivate var isStandard: Bool { number <= 2 }
}

extension OpenFile.Kind {
  /// Sets are taken when a thread waits for them. A signalfd must not be polled.
  var mayCall: Bool {
    switch self {
    case .epoll, .signals: false
    case .path, .socket, .pipe, .event, .timer, .inotify, .pidfd, .ring, .anonymous: true
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
