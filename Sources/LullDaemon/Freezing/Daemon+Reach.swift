import LullEngine
import LullSystem

// Who can make a source ready: something outside, or the program alone.
extension Daemon {
  /// nil for what is not looked at.
  func reach(
    _ number: Int32, _ process: Look.Process, _ duplicate: DescriptorBox, _ status: FileStatus,
    _ file: OpenFile.Kind?, _ description: LineDescription, _ look: Look, _ program: Program
  ) -> WakeSource.Reach? {
    switch file {
    case .epoll:
      look.add(.set(process, number))
      return nil
    case .signals:
      process.holdsSignals = true
      return nil
    case .timer: return timer(number, process, look)
    case .event: return .inside
    case .ring:
      noteRing(number, process, look)
      return .outside
    case .pidfd:
      // What is held still with the program can only be killed, and that is watched anyway.
      let watched = try? Process.watchedProcess(of: process.pid, number: number)
      return watched.flatMap { $0 }.map(look.hasProcess) == true ? .inside : .outside
    case .inotify, .anonymous: return .outside
    case .pipe, .path, nil: return isStandard(number, status, program) ? .standard : .outside
    case .socket:
      guard description.kind == .unix else { return .outside }
      return reach(ofUnixSocket: number, duplicate, status, description, look, program)
    }
  }

  /// A shell puts files of its own in the place of its standard streams.
  private func isStandard(_ number: Int32, _ status: FileStatus, _ program: Program) -> Bool {
    program.standardStreams?.contains(status.identity) ?? (number <= 2)
  }

  /// Its own timers do not wake it at once, except those that would wake the machine.
  private func timer(_ number: Int32, _ process: Look.Process, _ look: Look) -> WakeSource.Reach? {
    guard let timer = try? Process.timer(of: process.pid, number: number) else { return .inside }
    guard !timer.isAlarm else { return .outside }
    if let due = timer.dueIn {
      let interval = clock.interval(due)
      look.observation.timer = min(look.observation.timer ?? interval, interval)
    }
    return .inside
  }

  /// What the ring was asked for can be anything that the process has open, unless it has files of its own.
  private func noteRing(_ number: Int32, _ process: Look.Process, _ look: Look) {
    if (try? Process.ringHoldsFiles(of: process.pid, number: number)) != false {
      look.observation.threads.append(
        ObservedThread(process: process.pid, thread: process.pid, wait: .unwatchable(.ring)))
      return look.stop()
    }
    look.add(.list(process))
  }

  private func reach(
    ofUnixSocket number: Int32, _ duplicate: DescriptorBox, _ status: FileStatus,
    _ description: LineDescription, _ look: Look, _ program: Program
  ) -> WakeSource.Reach? {
    if program.sessions.contains(where: { $0.inode == status.identity.inode }) { return .doorbell }
    // An answer of this daemon is waited for before the freeze; its notices wait for the wake.
    if description.peer == controlPath { return .inside }
    if isStandard(number, status, program) { return .standard }
    guard !description.isListening, let peer = try? UnixSocket.peer(of: duplicate.raw) else {
      return .outside
    }
    return look.hasProcess(peer.pid) ? .inside : .outside
  }

  /// Pipes and connections whose other end is inside the program tell it nothing from outside. That is asked
  /// only when nothing else could wake the program, since it takes a look at all that the program has open.
  func asksForInnerEnds(_ look: Look, _ program: Program) -> Bool {
    guard !look.sets.contains(where: { $0.epollSet?.isLarge == true && $0.epollSet?.reach == .outside })
    else { return false }
    var isAsked = false
    for entry in look.entries where entry.reach == .outside {
      guard isDoubtful(entry, program) else { return false }
      isAsked = true
    }
    return isAsked
  }

  private func isDoubtful(_ entry: Look.Entry, _ program: Program) -> Bool {
    entry.mayEndInside && !program.outerSockets.contains(entry.status.identity.inode)
  }

  func findInnerEnds(_ look: Look, _ program: Program) {
    guard asksForInnerEnds(look, program) else { return }
    for entry in look.entries where entry.reach == .outside {
      if look.ends.contains(entry) {
        entry.reach = .inside
      } else if entry.status.shape == .socket {
        program.outerSockets.insert(entry.status.identity.inode)
      }
    }
  }

  func read(_ process: Look.Process, _ ends: inout InnerEnds) {
    let files = (try? Process.openFiles(of: process.pid, limit: engine.policy.maximumDescriptors)) ?? []
    for file in files {
      switch file.kind {
      case .pipe:
        if file.isReadable { ends.read.insert(file.kind) }
        if file.isWritable { ends.written.insert(file.kind) }
      case .socket:
        guard let duplicate = try? duplicate(file.number, of: process.pidfd) else {
          continue
        }
        let description = Socket.describe(duplicate.raw)
        if description.kind == .tcp { ends.connections.insert(description.local) }
      default: continue
      }
    }
  }
}

/// What a program has open that the other end of a pipe or of a connection can be.
struct InnerEnds {
  var read: Set<OpenFile.Kind> = [], written: Set<OpenFile.Kind> = []
  /// The own addresses of its connections.
  var connections: Set<String> = []

  func contains(_ entry: Look.Entry) -> Bool {
    guard entry.status.shape == .pipe else { return connections.contains(entry.description.peer) }
    guard let file = entry.file else { return false }
    return entry.interest.contains(.writable) ? read.contains(file) : written.contains(file)
  }
}

extension Look.Entry {
  /// Its other end can be inside the program: a pipe without a name, or a connection within this machine.
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
