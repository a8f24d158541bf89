import LullChannel
import LullEngine
import LullSystem
import LullWire

/// The processes of a program that is stopped by signals: the first one, its descendants, and those that were
/// seen among these before their parents ended. They are known by their pidfds, so that a process that got an
/// old number is never touched.
///
/// Either every one of them is stopped, or the program is not put to sleep. Stopping is not atomic: it is
/// repeated until all are stopped and no other one has appeared.
final class ProcessTree {
  final class Member {
    let identity: ProcessIdentity
    let pidfd: DescriptorBox
    var isStopped = false
    /// Watches the end of the process, after that of the first one.
    private var registration: Slot?

    init(_ identity: ProcessIdentity, _ pidfd: DescriptorBox) {
      (self.identity, self.pidfd) = (identity, pidfd)
    }

    var pid: Int32 { identity.pid }
    var isAwaited: Bool { registration != nil }

    func watch(in reactor: DaemonReactor, of id: AppID) {
      registration = try? reactor.add(
        pidfd.raw, [.readable, .oneShot], as: .member(id, pidfd: pidfd))
    }

    func unwatch(in reactor: DaemonReactor) {
      if let registration = registration.take() { reactor.remove(registration) }
    }
  }

  enum Orphans {
    /// A program that registered itself: orphans that it has left to init are no part of it any more.
    case outside
    /// A command: its orphans become children of its own parent, if that is a `lull run` that takes them.
    case children(of: ProcessIdentity)
    /// A command whose `lull run` has ended: its orphans have gone to init, where nobody can tell them from
    /// others.
    case lost
  }

  /// The variable in a command's environment with the number of the `lull run` that takes its orphans, and
  /// has no other children.
  private static let tagName = "LULL_RUN"

  /// Its processes are never stopped: the program is watched as if it slept.
  let isDryRun: Bool
  private let leader: Int32
  private let table: ProcessTable
  private(set) var orphans: Orphans
  private(set) var members: [Member] = []
  private var isTagged = false

  init(
    leader pid: Int32, pidfd: DescriptorBox, orphans: Orphans, table: ProcessTable, isDryRun: Bool = false
  ) {
    (leader, self.orphans, self.table, self.isDryRun) = (pid, orphans, table, isDryRun)
    let identity = table.log.ignoring(.gone, try ProcessIdentity.current(pid))
    if let identity { members = [Member(identity, pidfd)] }
    dropEnded()
  }

  func contains(_ pid: Int32) -> Bool {
    guard let member = members.first(where: { $0.pid == pid }) else { return false }
    return !member.hasEnded
  }

  func isOrphan(_ pid: Int32) -> Bool {
    guard case .children(let parent) = orphans, pid != parent.pid, parent.exists, takesOrphans(parent)
    else { return false }
    return (try? Process.parentPid(of: pid)) == parent.pid
  }

  private func takesOrphans(_ parent: ProcessIdentity) -> Bool {
    if !isTagged { isTagged = Process.environment(Self.tagName, of: leader) == "\(parent.pid)" }
    return isTagged
  }

  // MARK: Finding them

  /// Stopped processes start no others.
  func update() throws(SystemError) { find(among: try table.current()) }

  func processes() throws(SystemError) -> [Int32] {
    if !members.contains(where: \.isStopped) { find(among: try table.recent()) }
    return members.map(\.pid)
  }

  private func find(among entries: [ProcessEntry]) {
    dropEnded()
    if case .children(let parent) = orphans { findOrphans(of: parent, among: entries) }
    var children: [Int32: [ProcessEntry]] = [:]
    for entry in entries { children[entry.parent, default: []].append(entry) }
    var index = 0
    while index < members.count {
      for child in children[members[index].pid] ?? [] { add(child) }
      index += 1
    }
  }

  private func findOrphans(of parent: ProcessIdentity, among entries: [ProcessEntry]) {
    guard takesOrphans(parent) else { return }
    guard parent.exists else { return orphans = .lost }
    for entry in entries where entry.parent == parent.pid && !entry.isZombie { add(entry) }
  }

  private func add(_ entry: ProcessEntry) {
    guard !members.contains(where: { $0.identity == entry.identity }), let pidfd = entry.identity.open()
    else { return }
    let member = Member(entry.identity, pidfd)
    if !member.hasEnded { members.append(member) }
  }

  private func dropEnded() { members.removeAll(where: \.hasEnded) }

  // MARK: Stopping them

  /// Stops parents first: a shell is not to see its jobs stop.
  func stop() throws(StopError) {
    do throws(SystemError) { try update() } catch { throw .system(error) }
    try checkCompleteness()
    if isDryRun { return }
    // A process that somebody else has stopped is not this daemon's to continue.
    for member in members where !member.isStopped && !isStoppedElsewhere(member) {
      do throws(SystemError) {
        try table.note(member.identity)
        member.isStopped = true
        try member.send(Signal.stop)
      } catch {
        throw .notStopped(member.pid, error)
      }
    }
  }

  private func checkCompleteness() throws(StopError) {
    if case .lost = orphans { throw .orphansLost }
    if members.contains(where: { $0.pid == Identity.pid() }) { throw .holdsDaemon }
  }

  /// True when each process is stopped and no other one has appeared; new processes are sent SIGSTOP.
  func isStopped() throws(StopError) -> Bool {
    if isDryRun { return true }
    for member in members where !member.hasEnded {
      guard areThreadsStopped(member) else { return false }
    }
    try stop()
    return members.allSatisfy(areThreadsStopped)
  }

  private func isStoppedElsewhere(_ member: Member) -> Bool {
    table.log.ignoring(.gone, try Process.isStopped(member.pid)) == true
  }

  /// True also for a process that has ended.
  private func areThreadsStopped(_ member: Member) -> Bool {
    table.log.ignoring(.gone, try Process.areThreadsStopped(member.pid)) != false
  }

  /// Continues children first: a shell finds its jobs running.
  func proceed() throws(SystemError) {
    var failure: SystemError?
    for member in members.reversed() where member.isStopped {
      member.isStopped = false
      do { try member.send(Signal.continue) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  /// The processes are stopped first, or a process that forks would leave a child behind.
  func kill() throws(SystemError) {
    if isDryRun { return }
    for _ in 0..<16 {
      let count = members.count
      for member in members { table.log.ignoring([], try member.send(Signal.stop)) }
      try update()
      if members.count <= count { break }
    }
    for member in members { try member.send(Signal.kill) }
  }
}

extension ProcessTree.Member {
  var hasEnded: Bool { LullSystem.Process.hasEnded(pidfd.raw) }

  /// A process that has ended needs no signal.
  func send(_ signal: Int32) throws(SystemError) {
    do {
      try Process.sendSignal(pidfd.raw, signal)
    } catch {
      guard error.isNoSuchProcess else { throw error }
    }
  }
}

enum StopError: Error, CustomStringConvertible {
  case system(SystemError)
  case notStopped(Int32, SystemError)
  /// The parent of the command, to which its orphans go, has ended.
  case orphansLost
  case holdsDaemon

  var description: String {
    switch self {
    case .system(let error): "\(error)"
    case .notStopped(let pid, let error): Explanation(.processNotStopped, pid: pid, error: "\(error)").line
    case .orphansLost: Explanation(.orphansLost).line
    case .holdsDaemon: Explanation(.holdsDaemon).line
    }
  }
}
