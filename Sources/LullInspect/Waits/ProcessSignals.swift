package import LullSystem

package struct ProcessSignals: Equatable, Sendable {
  /// A signal waits on which some thread will act as soon as it runs: one that is not ignored, and not
  /// blocked unless the thread stands in a call that takes it.
  package internal(set) var isDue = false
  /// A blocked signal waits: only a signalfd tells of it.
  package internal(set) var isDueBlocked = false
  package internal(set) var areBlocked = false
  /// Signals that are handled, or blocked for a signalfd or a call that takes them.
  package private(set) var handled: UInt64 = 0
  /// Those of them that have a handler, or that every thread blocks. What a thread leaves to its default,
  /// nobody waits for: many programs block all signals in all threads but the first.
  fileprivate var expected: UInt64 = 0
  package internal(set) var hasTimers = false

  package init() {}

  package var hearsChildren: Bool { handled & Self.bit(Signal.child) != 0 }
  /// A signal may come at a time that nobody can tell: that of a POSIX timer, or of alarm(2) and
  /// setitimer(2), which the kernel shows nowhere. Timers of processor time stand still in a freeze.
  package var hidesTimers: Bool { hasTimers || expects([Signal.alarm]) }
  /// The process acts on a signal by which the kernel mostly tells of descriptors: SIGIO, SIGURG, and the
  /// real-time signals that no C library takes for itself. SIGUSR1 and SIGUSR2 are those that mq_notify(3) is
  /// mostly given. F_SETSIG takes any other signal as well.
  package var hearsDescriptors: Bool {
    expected >> UInt64(Self.firstFree - 1) != 0
      || expects([Signal.io, Signal.urgent, Signal.user1, Signal.user2])
  }

  /// The first real-time signal that neither glibc (32, 33) nor musl (32 to 34) uses.
  private static let firstFree: Int32 = 35

  private static func bit(_ signal: Int32) -> UInt64 { 1 << (UInt64(signal) - 1) }

  private func expects(_ signals: [Int32]) -> Bool { signals.contains { expected & Self.bit($0) != 0 } }

  package mutating func join(_ other: ProcessSignals) {
    handled |= other.handled
    expected |= other.expected
  }
}

extension Process {
  /// The signals that wait for a frozen process or for one of its `threads`; empty when the process has
  /// ended. The corresponding C function is `read` of `/proc/PID/task/TID/status`.
  package static func signals(
    in files: ThreadFiles, threads: [Int32]
  ) throws(SystemError) -> ProcessSignals {
    var all = ProcessSignals()
    var (mayHaveTimers, blocked) = (false, UInt64.max)
    for thread in threads {
      guard let one = try unlessGone(try files.signals(of: thread)) else { continue }
      try all.add(one, of: thread, files)
      blocked &= one.blocked
      all.expected = one.caught | blocked
      // No signal waits for any thread of any process of this user, and nobody has a POSIX timer, each of
      // which has a signal ready.
      if one.queued == 0, one.pending == 0 { break }
      mayHaveTimers = true
    }
    if mayHaveTimers { all.hasTimers = try hasTimers(files.pid) }
    return all
  }

  private static func hasTimers(_ pid: Int32) throws(SystemError) -> Bool {
    var room = ShortText()
    // A kernel without CONFIG_CHECKPOINT_RESTORE does not tell.
    return try unlessGone(try room.read("/proc/\(pid)/timers")) != nil && room.count > 0
  }

  /// The signals that a thread takes in its call. The kernel blocks them again as soon as the call is cut
  /// off.
  fileprivate static func awaited(
    by thread: Int32, _ files: ThreadFiles
  ) throws(SystemError) -> UInt64 {
    var room = ShortText()
    guard let call = try ThreadCall(ofFrozen: thread, in: files, room: &room),
      call.wait.kind == .takesSignal
    else { return 0 }
    var set: UInt64 = 0
    return try call.read(call.argument(0), of: thread, into: &set) ? set : 0
  }

  /// The process and all of its children are stopped. Who was stopped before its children is told of them by
  /// SIGCHLD, and has nothing to do for that.
  fileprivate static func isStoppedWithChildren(_ pid: Int32) -> Bool {
    guard (try? isStopped(pid)) == true, let children = try? children(of: pid) else { return false }
    return !children.isEmpty && children.allSatisfy { (try? isStopped($0)) == true }
  }
}

extension ProcessSignals {
  fileprivate mutating func add(
    _ one: ThreadSignals, of thread: Int32, _ files: ThreadFiles
  ) throws(SystemError) {
    var pending = one.pending & ~one.ignored
    let child = Self.bit(Signal.child)
    if pending & child != 0, Process.isStoppedWithChildren(files.pid) { pending &= ~child }
    if pending & ~one.blocked != 0 { isDue = true }
    if pending & one.blocked != 0 {
      isDueBlocked = true
      if try pending & Process.awaited(by: thread, files) != 0 { isDue = true }
    }
    if one.blocked != 0 { areBlocked = true }
    handled |= one.caught | one.blocked
  }
}
