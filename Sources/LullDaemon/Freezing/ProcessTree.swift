import LullSystem

/// The processes of a program that is stopped by signals: the first one, its descendants, and those that were
/// seen among these before their parents ended. They are known by their pidfds, so that a number that was
/// given again is never touched.
///
/// Either every one of them is stopped, or the program is not put to sleep. Stopping is not atomic: it is
/// repeated until all stand and no other one has appeared.
final class ProcessTree {
  final class Member {
    let identity: ProcessIdentity
    let pidfd: DescriptorBox
    /// SIGSTOP was sent.
    var isStopped = false
    /// Its end is waited for, after that of the first one.
    var isAwaited = false

    init(_ identity: ProcessIdentity, _ pidfd: DescriptorBox) {
      (self.identity, self.pidfd) = (identity, pidfd)
    }

    var pid: Int32 { identity.pid }
  }

  /// What is known of orphans that were never seen with their parents.
  enum Orphans {
    /// A program that registered itself: what it has left to others is no part of it any more.
    case outside
    /// A command: they have the guard as their parent, and this word in their environment.
    case tagged(String?)
    /// A command whose guard was replaced: they have gone to init, where nobody can tell them.
    case lost
  }

  /// The variable of a command's environment by which orphans are known.
  static let tagName = "LULL_RUN"

  let leader: Int32
  let table: ProcessTable
  var orphans: Orphans
  private let since: UInt64
  private(set) var members: [Member] = []
  /// Processes that may belong to it.
  private var strays: [Int32] = []

  init(leader pid: Int32, _ pidfd: DescriptorBox, _ orphans: Orphans, _ table: ProcessTable) {
    (leader, self.orphans, self.table) = (pid, orphans, table)
    let identity = try? ProcessIdentity.current(pid)
    since = identity?.start ?? 0
    if let identity { members = [Member(identity, pidfd)] }
    dropEnded()
  }

  /// Whether a process is one of those that are known.
  func contains(_ pid: Int32) -> Bool {
    guard let member = members.first(where: { $0.pid == pid }) else { return false }
    return !member.hasEnded
  }

  // MARK: Finding them

  /// Looks for those that are new. What stands still makes none.
  func update() throws(SystemError) { find(among: try table.current()) }

  /// The processes that there were a moment ago.
  func processes() throws(SystemError) -> [Int32] {
    if !members.contains(where: \.isStopped) { find(among: try table.recent()) }
    return members.map(\.pid)
  }

  private func find(among entries: [ProcessEntry]) {
    dropEnded()
    if case .tagged(let tag) = orphans { findOrphans(tag, among: entries) }
    var children: [Int32: [ProcessEntry]] = [:]
    for entry in entries { children[entry.parent, default: []].append(entry) }
    var index = 0
    while index < members.count {
      for child in children[members[index].pid] ?? [] { add(child) }
      index += 1
    }
  }

  private func findOrphans(_ tag: String?, among entries: [ProcessEntry]) {
    strays = []
    for entry in entries
    where entry.identity.start >= since && table.isOrphan(entry)
      && !members.contains(where: { $0.identity == entry.identity })
    {
      let found = Process.environment(Self.tagName, of: entry.pid)
      if found == nil { strays.append(entry.pid) } else if found == tag { add(entry) }
    }
  }

  private func add(_ entry: ProcessEntry) {
    guard !members.contains(where: { $0.identity == entry.identity }), let pidfd = entry.identity.open()
    else { return }
    let member = Member(entry.identity, pidfd)
    if !member.hasEnded { members.append(member) }
  }

  private func dropEnded() { members.removeAll(where: \.hasEnded) }

  // MARK: Stopping them

  /// Stops those that are known and not stopped yet, parents first: a shell is not to see its jobs stop.
  func stop() throws(StopError) {
    do throws(SystemError) { try update() } catch { throw .system(error) }
    try checkCompleteness()
    for member in members where !member.isStopped {
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
    if let stray = strays.first { throw .stray(stray) }
    if case .lost = orphans { throw .orphansLost }
    if members.contains(where: { $0.pid == Identity.pid() }) { throw .holdsDaemon }
  }

  /// True when each of them stands and no other one has appeared; others are stopped.
  func isStopped() throws(StopError) -> Bool {
    for member in members where !member.hasEnded {
      guard member.isStopped, (try? Process.areThreadsStopped(member.pid)) != false else { return false }
    }
    try stop()
    return members.allSatisfy { (try? Process.areThreadsStopped($0.pid)) != false }
  }

  /// Continues those that were stopped, children first: a shell finds its jobs running.
  func proceed() throws(SystemError) {
    var failure: SystemError?
    for member in members.reversed() where member.isStopped {
      member.isStopped = false
      do { try member.send(Signal.continue) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  /// Kills them. They are stopped first, or one that forks would leave a child behind.
  func kill() throws(SystemError) {
    for _ in 0..<16 {
      let count = members.count
      for member in members { try? member.send(Signal.stop) }
      try update()
      if members.count <= count { break }
    }
    for member in members { try member.send(Signal.kill) }
  }
}

extension ProcessTree.Member {
  var hasEnded: Bool {
    (try? Socket.poll(pidfd.raw, .readable, timeoutMilliseconds: 0)).map { !$0.isEmpty } ?? true
  }

  /// One that has ended needs no signal.
  func send(_ signal: Int32) throws(SystemError) {
    do {
      try Process.sendSignal(pidfd.raw, signal)
    } catch {
      guard error.isNoSuchProcess else { throw error }
    }
  }
}
