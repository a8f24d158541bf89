import LullEngine
import LullSystem

// What a thread waits for: descriptors, one by one.
extension Daemon {
  /// A descriptor of a process, closed so that nobody waits for it.
  func duplicate(_ number: Int32, of pidfd: DescriptorBox) throws(SystemError) -> DescriptorBox {
    DescriptorBox(try Process.getDescriptor(pidfd.raw, number: number), closer: closer)
  }

  /// Takes a descriptor of a frozen process, unless it cannot be watched or is none of the daemon's business.
  @discardableResult
  func take(
    _ number: Int32, of process: Look.Process, _ interest: Interest, _ role: WakeSource.Role, _ look: Look,
    _ program: Program, inode: UInt64?
  ) throws(SystemError) -> Look.Entry? {
    let duplicate: DescriptorBox
    do {
      duplicate = try self.duplicate(number, of: process.pidfd)
    } catch {
      guard error.isBadDescriptor || error.isNoSuchProcess else { throw error }
      // Somebody closed it under the thread, or the process has lost its main thread and with that its
      // numbers: what is waited for cannot be watched.
      guard role == .waited || inode != nil && role == .open else { return nil }
      throw SystemError.notOpen("descriptor \(number) of process \(process.pid)")
    }
    let status = try FileStatus.of(duplicate.raw)
    if let inode, inode != status.identity.inode {
      // A set shows a number that has been closed and given to another file. It is watched in the set, unless
      // that falls back to its members.
      guard role == .open else { return nil }
      throw SystemError.stale("descriptor \(number) of process \(process.pid)")
    }
    guard role == .member || canBeWatched(duplicate, status, role) else { return nil }
    let key = FileKey(status, number: number, of: process.pid)
    if let known = look.entry(key) {
      known.join(interest, role)
      return known
    }
    guard let entry = examine(number, process, duplicate, status, interest, role, look, program) else {
      return nil
    }
    look.add(entry)
    if look.entries.count > engine.policy.maximumLines {
      look.observation.obstacle = .tooManyLines
      look.stop()
    }
    return entry
  }

  /// A device such as /dev/null is always ready and cannot be watched.
  private func canBeWatched(
    _ duplicate: DescriptorBox, _ status: FileStatus, _ role: WakeSource.Role
  ) -> Bool {
    switch status.shape {
    case .socket, .pipe: return true
    // A queue of messages or a table of /proc can be watched.
    case .stored: if role == .open { return false }
    case .characterDevice, .anonymous: if role == .waited { return true }
    }
    return (try? probe(duplicate)) != nil
  }

  private func examine(
    _ number: Int32, _ process: Look.Process, _ duplicate: DescriptorBox, _ status: FileStatus,
    _ interest: Interest, _ role: WakeSource.Role, _ look: Look, _ program: Program
  ) -> Look.Entry? {
    let line = program.known[FileKey(status, number: number, of: process.pid)]
    let file = kind(number, process, status)
    if case .path(let path) = file, status.shape == .stored, path.hasPrefix("/proc/") {
      // Tables such as mountinfo tell a change once, to whoever polls first.
      look.observation.obstacle = .noDescriptor("\(path) cannot be watched beside the program")
      look.stop()
      return nil
    }
    guard let description = describe(duplicate, file, line),
      let reach = reach(
        number, process, duplicate, status, file, description, look, program)
    else { return nil }
    guard program.command?.watches(description) != false else { return nil }
    let entry = Look.Entry(
      process, number, duplicate, status, file, description, role, reach, interest)
    if let line, line.identity == status.identity { entry.line = line }
    return entry
  }

  /// What has no inode of its own is told by its link alone.
  private func kind(_ number: Int32, _ process: Look.Process, _ status: FileStatus) -> OpenFile.Kind? {
    switch status.shape {
    case .socket: .socket(inode: status.identity.inode)
    case .pipe, .characterDevice, .anonymous, .stored: try? OpenFile.kind(of: number, in: process.pid)
    }
  }

  /// A socket that was found before it was bound or connected may turn out to have a port.
  private func describe(
    _ duplicate: DescriptorBox, _ file: OpenFile.Kind?, _ line: HeldLine?
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
    return description.localPort == nil || (try? Socket.peerAddress(duplicate.raw)) != nil
  }

  /// Everything that a napping process has open, besides what its sets watch.
  func list(_ process: Look.Process, _ look: Look, _ program: Program) throws(SystemError) {
    guard !process.isListed else { return }
    process.isListed = true
    let sets = look.sets.compactMap(\.epollSet).filter { $0.pid == process.pid && !$0.fallsBack }
    var covered: Set<Int32> = []
    for set in sets where set.isLarge {
      covered.formUnion(try Process.epollMembers(of: process.pid, number: set.number).map(\.number))
    }
    let files = try Process.openFiles(
      of: process.pid, limit: engine.policy.maximumDescriptors + covered.count)
    // The list is empty too when only the main thread has ended, while the others have files open.
    guard !files.isEmpty else {
      look.observation.obstacle = .noDescriptor(
        "process \(process.pid) shows no descriptors: its main thread may have ended")
      return look.stop()
    }
    // Standard streams last: what is open under another number as well is known by that.
    let ordered = files.drop { $0.isStandard } + files.prefix { $0.isStandard }
    for file in ordered where file.isReadable && file.kind.mayCall && !covered.contains(file.number) {
      look.add(.descriptor(process, file.number, [.readable, .readHangUp], .open))
    }
  }
}

extension OpenFile {
  fileprivate var isStandard: Bool { number <= 2 }
}

extension OpenFile.Kind {
  /// Whether it is taken when a process is listed. Sets are taken when a thread waits for them, a signalfd
  /// must not be polled, and an eventfd is written inside.
  var mayCall: Bool {
    switch self {
    case .epoll, .signals, .event: false
    case .path, .socket, .pipe, .timer, .inotify, .pidfd, .ring, .anonymous: true
    }
  }
}
