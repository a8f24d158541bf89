import LullChannel
import LullEngine
import LullInspect
import LullSystem

extension ObservationBuilder {
  /// Takes a descriptor of a frozen process, unless it cannot be watched or does not concern the daemon.
  @discardableResult
  func take(
    _ number: Int32, of process: Process, interest: Interest, role: WakeSource.Role, inode: UInt64?
  ) throws(SystemError) -> Entry? {
    let duplicate: DescriptorBox
    do {
      duplicate = try services.duplicate(number, of: process.pidfd)
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
      observation.obstacle = .noDescriptor("\(name) cannot be watched beside the program")
      stop()
      return nil
    }
    guard let description = describe(duplicate, file: file, line: line),
      let reach = reach(
        number, of: process, duplicate: duplicate, status: status, file: file, description: description)
    else { return nil }
    guard program.command?.watches(description) != false else { return nil }
    let entry = Entry(
      process, number: number, duplicate: duplicate, status: status, file: file, description: description,
      role: role, reach: reach, interest: interest)
    if let line, line.identity == status.identity { entry.line = line.line }
    return entry
  }

  /// The name of a file that reports a change once, to who polls first: a table such as mountinfo, a trigger
  /// of pressure, a perf event.
  private func reportingOnce(_ file: OpenFile.Kind?, _ status: FileStatus) -> String? {
    switch file {
    case .path(let path)
    where status.shape == .stored && (path.hasPrefix("/proc/") || path.hasSuffix(".pressure")):
      path
    case .anonymous("[perf_event]"): "a perf event"
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

  /// A socket that was found before it was bound or connected may turn out to have a port.
  private func describe(
    _ duplicate: DescriptorBox, file: OpenFile.Kind?, line: KnownFile?
  ) -> LineDescription? {
    if let line, !mayHaveChanged(line.description, duplicate) { return line.description }
    let description = Socket.describe(duplicate.raw)
    if description.kind == .other, description.local.isEmpty, let file {
      return LineDescription(naming: file)
    }
    return description
  }

  private func mayHaveChanged(_ description: LineDescription, _ duplicate: DescriptorBox) -> Bool {
    guard description.kind != .other, description.peer.isEmpty, !description.isListening else { return false }
    guard description.localPort != nil else { return true }
    return journal.ignoring(.unsupported, try Socket.peerAddress(duplicate.raw)) != nil
  }

  /// Takes everything that a napping process has open, besides the members of its sets.
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
      observation.obstacle = .noDescriptor(
        "process \(process.pid) shows no descriptors: its main thread may have ended")
      return stop()
    }
    // Standard streams last: by then a file that is open under another number as well is known.
    let ordered = files.drop { $0.isStandard } + files.prefix { $0.isStandard }
    for file in ordered where file.isReadable && file.kind.mayCall && !covered.contains(file.number) {
      add(.descriptor(process, file.number, [.readable, .readHangUp], .open))
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
