import LullEngine
import LullInspect
import LullSystem

extension ObservationBuilder {
  func reach(
    _ number: Int32, of process: Process, duplicate: DescriptorBox, status: FileStatus,
    file: OpenFile.Kind?, description: LineDescription
  ) -> WakeSource.Reach? {
    switch file {
    case .epoll:
      add(.set(process, number))
      return nil
    case .signals:
      process.holdsSignals = true
      return nil
    case .timer: return timer(number, process)
    // PulseAudio and PipeWire write to an eventfd of their client's.
    case .event: return isUnheard(process) ? .doorbell : .inside
    case .ring:
      noteRing(number, process)
      return .outside
    case .pidfd:
      // A process that is frozen with the program can only be killed, and its end is watched anyway.
      let watched = journal.ignoring(
        .gone, try LullSystem.Process.watchedProcess(of: process.pid, number: number))
      return watched.flatMap { $0 }.map(hasProcess) == true ? .inside : .outside
    case .anonymous("[fanotify]"):
      let grants = journal.ignoring(
        .gone, try LullSystem.Process.grantsPermissions(of: process.pid, number: number))
      // A file that lulld opens may be among those for which it is asked.
      if grants == true { refuse(.permission, process) }
      return .outside
    case .path("/dev/fuse"):
      refuse(.fileSystem, process)
      return .outside
    case .inotify, .anonymous: return .outside
    case .pipe, .path, nil: return isStandard(number, status) ? .standard : .outside
    case .socket:
      let isMeasured = program.sound == .measured
      if isMeasured, soundServer(behind: description, raw: duplicate.raw, status: status, of: process) != nil
      {
        return .doorbell
      }
      guard description.kind == .unix else { return .outside }
      return reach(ofUnixSocket: number, duplicate: duplicate, status: status, description: description)
    }
  }

  /// True for a process whose streams are measured. A sleeper is not to be woken to play on what nobody
  /// hears.
  private func isUnheard(_ process: Process) -> Bool {
    program.sound == .measured && memory.soundClients.contains { $0.pid == process.pid }
  }

  /// True for a standard stream that the program was given. A shell puts other files in the place of its
  /// standard streams.
  private func isStandard(_ number: Int32, _ status: FileStatus) -> Bool {
    memory.standardStreams?.contains(status.identity) ?? (number <= 2)
  }

  /// The program's own timers do not wake it at once, except those that would wake the machine.
  private func timer(_ number: Int32, _ process: Process) -> WakeSource.Reach? {
    guard let timer = journal.ignoring(.gone, try LullSystem.Process.timer(of: process.pid, number: number))
    else { return .inside }
    guard !timer.isAlarm else { return .outside }
    if let due = timer.dueIn {
      let interval = services.clock.interval(due)
      observation.timer = min(observation.timer ?? interval, interval)
    }
    return .inside
  }

  /// An io_uring can be asked for anything that the process has open, unless it has files of its own.
  private func noteRing(_ number: Int32, _ process: Process) {
    let holdsFiles = journal.ignoring(
      .gone, try LullSystem.Process.ringHoldsFiles(of: process.pid, number: number))
    if holdsFiles != false { return refuse(.ring, process) }
    add(.list(process))
  }

  private func reach(
    ofUnixSocket number: Int32, duplicate: DescriptorBox, status: FileStatus,
    description: LineDescription
  ) -> WakeSource.Reach? {
    if program.doorbells.contains(status.identity.inode) { return .doorbell }
    // An answer of this daemon is awaited before the freeze; its notices wait for the wake.
    if description.peer == services.controlPath { return .inside }
    if isStandard(number, status) { return .standard }
    guard !description.isListening,
      let peer = journal.ignoring(.unsupported, try UnixSocket.peer(of: duplicate.raw))
    else { return .outside }
    return hasProcess(peer.pid) ? .inside : .outside
  }

  /// Pipes and connections whose other end is inside the program bring it no news from outside. The ends are
  /// read only when nothing else could wake the program, since that means reading all that it has open.
  func asksForInnerEnds() -> Bool {
    guard !sets.contains(where: { $0.facts.isLarge && $0.facts.reach == .outside }) else { return false }
    var isAsked = false
    for entry in entries where entry.reach == .outside {
      guard isDoubtful(entry) else { return false }
      isAsked = true
    }
    return isAsked
  }

  private func isDoubtful(_ entry: Entry) -> Bool {
    entry.mayEndInside && !memory.outerSockets.contains(entry.status.identity.inode)
  }

  func findInnerEnds() {
    guard asksForInnerEnds() else { return }
    for entry in entries where entry.reach == .outside {
      if ends.contains(entry) {
        entry.reach = .inside
      } else if entry.status.shape == .socket {
        memory.outerSockets.insert(entry.status.identity.inode)
      }
    }
  }

  func readEnds(of process: Process) {
    let most = services.policy.maximumDescriptors
    let files = journal.ignoring(
      [.gone, .tooMany], try LullSystem.Process.openFiles(of: process.pid, limit: most))
    for file in files ?? [] {
      switch file.kind {
      case .pipe:
        if file.isReadable { ends.read.insert(file.kind) }
        if file.isWritable { ends.written.insert(file.kind) }
      case .socket:
        guard
          let duplicate = journal.ignoring(
            .gone, try services.duplicate(file.number, of: process.pidfd))
        else { continue }
        let description = Socket.describe(duplicate.raw)
        if description.kind == .tcp { ends.connections.insert(description.local) }
      default: continue
      }
    }
  }
}

struct InnerEnds {
  var read: Set<OpenFile.Kind> = [], written: Set<OpenFile.Kind> = []
  var connections: Set<String> = []

  func contains(_ entry: ObservationBuilder.Entry) -> Bool {
    guard entry.status.shape == .pipe else { return connections.contains(entry.description.peer) }
    guard let file = entry.file else { return false }
    return entry.interest.contains(.writable) ? read.contains(file) : written.contains(file)
  }
}

extension ObservationBuilder.Entry {
  /// True when the other end can be inside the program: a pipe without a name, or a connection within this
  /// machine.
  fileprivate var mayEndInside: Bool {
    switch file {
    case .pipe: return true
    case .socket where description.kind == .tcp && !description.peer.isEmpty:
      return description.local.prefix { $0 != ":" } == description.peer.prefix { $0 != ":" }
        || description.peer.hasPrefix("127.") || description.peer.hasPrefix("[::1]")
    default: return false
    }
  }
}
