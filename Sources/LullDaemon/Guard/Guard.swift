import LullChannel
import LullEngine
package import LullSystem

/// The parent of lulld. The guard keeps the descriptors that must outlive lulld, thaws everything when lulld
/// dies or stands still, and starts it again, for ever. The guard touches nothing of a program that could
/// block it.
package final class Guard {
  /// The sources of readiness.
  enum Source {
    case signals, link, child
  }

  private enum Stage {
    case guarding
    /// lulld is to end, or has said that it ends.
    case stopping
    /// There is nothing left to guard.
    case over(status: Int32)
  }

  /// Descriptors that are not a program's.
  private static let ownDescriptors = 64

  let policy = SupervisionPolicy()
  let program: DaemonProgram
  let child: DaemonChild
  let store: FdStore
  let notifications = NotificationStore()
  let lines: LineStore
  let installed = InstalledStore()
  let frozen: FrozenPrograms
  let chores = Chores()
  let service: ServiceManager?
  let socketPath: String
  private let reactor: Reactor<Source>
  private let signals: SignalDescriptor
  private var stage = Stage.guarding
  /// The lulld that has given way to the present one, as long as it may be needed.
  var former: FormerDaemon?

  /// A guard for the daemon at `daemonPath`, which will serve `listener`.
  package init(options: DaemonOptions, listener: consuming Descriptor, socketPath: String, daemonPath: String)
    throws(SystemError)
  {
    self.socketPath = socketPath
    service = ServiceManager(options.service)
    program = DaemonProgram(
      daemonPath, listener: DescriptorBox(listener), options: options, policy: policy)
    let files = Self.log.ignoring([], try Limits.raiseOpenFiles()) ?? 1024
    let room = Self.roomForLines(openFiles: files)
    lines = LineStore(capacity: room)
    store = FdStore(capacity: files - Self.ownDescriptors - room, policy)
    frozen = FrozenPrograms(root: options.cgroupRoot, store)
    reactor = try Reactor(capacity: 8)
    child = DaemonChild(reactor, policy)
    signals = try SignalDescriptor(blocking: Signal.endingHere() + [Signal.child])
    try Process.becomeSubreaper()
    for signal in Signal.needless { try Signal.ignore(signal) }
    _ = try reactor.add(signals.raw, .readable, as: .signals)
  }

  /// The number of kept lines for which a guard has room that may have so many files open.
  static func roomForLines(openFiles: Int) -> Int { min(Policy().maximumKeptLines, openFiles / 4) }

  /// The guard has no journal.
  static var log: StandardErrorLog { StandardErrorLog(process: "lull-guard") }

  // MARK: The loop

  /// Guards until lulld ends in good order; returns the exit status.
  package func run() throws(SystemError) -> Int32 {
    if program.isRunning {
      try child.adopt(program.adopted)
    } else {
      frozen.thawCgroups()
      try start()
    }
    service?.ready()
    while true {
      if case .over(let status) = stage { return status }
      child.flush()
      if child.needsRetry, !chores.isScheduled(.flush) {
        chores.schedule(.flush, after: policy.linkRetry.nanoseconds)
      }
      if !isStopping { service?.tell(programs: store.count) }
      try reactor.arm(at: [chores.next, service?.deadline].compactMap(\.self).min())
      try waitForWork()
      for place in reactor.events {
        if let event = reactor[place] { try serve(event.source) }
      }
      if try reactor.takeExpiration() {
        doChores()
        service?.timeIsUp { isWell }
      }
    }
  }

  /// Waits for work. Where lulld is not this process's child, no signal tells that it is stopped, but then
  /// its epoll set stays readable. The set is polled and not watched: in a second set it would count as
  /// nested, and slow down each change to it.
  private func waitForWork() throws(SystemError) {
    guard let set = child.polled, !chores.isScheduled(.check), !chores.isScheduled(.proceed) else {
      return try reactor.wait()
    }
    var entries = [PollEntry(reactor.raw, .readable), PollEntry(set, .readable)]
    try Socket.pollMany(&entries, timeoutMilliseconds: -1)
    if !entries[1].readiness.isEmpty { chores.schedule(.check, after: policy.daemonCheck.nanoseconds) }
    try reactor.wait(timeoutMilliseconds: 0)
  }

  private func serve(_ source: Source) throws(SystemError) {
    switch source {
    case .signals:
      while let (signal, _) = try signals.next() {
        if signal == Signal.child { childrenChanged() } else { stop() }
      }
    case .link: hear()
    case .child: childEnded()
    }
  }

  private func doChores() {
    while let chore = chores.takeDue() {
      switch chore {
      case .start: startAgain()
      case .proceed: child.proceed()
      case .kill: if isStopping { child.send(Signal.kill) } else { dismissFormer() }
      case .check: if child.isStopped() { childStopped() }
      case .yield: yield()
      case .flush: break
      }
    }
  }

  // MARK: The end

  var isStopping: Bool { if case .guarding = stage { false } else { true } }

  /// Gives lulld its time to end. A second signal neither cuts the time short nor adds to it.
  func expectEnd() {
    guard !isStopping else { return }
    stage = .stopping
    service?.stopping()
    chores.schedule(.kill, after: policy.daemonEnding.nanoseconds)
  }

  /// Ends the loop.
  func end(_ status: Int32) {
    stage = .over(status: status)
    chores.clear()
  }
}
