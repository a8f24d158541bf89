import LullChannel
import LullEngine
package import LullSystem
import LullWire

/// The parent of lulld. The guard keeps the descriptors that must outlive lulld, thaws everything when lulld
/// dies or stands still, and starts it again, for ever. The guard touches nothing of a program that could
/// block it.
package final class Guard {
  enum Source {
    case signals, link, child, predecessor
  }

  private enum State {
    case guarding
    /// lulld is to end, or has said that it ends.
    case stopping
    case over(status: Int32)
  }

  let policy = SupervisionPolicy()
  let program: DaemonProgram
  let child: DaemonChild
  let lines: LineStore
  let frozen: FrozenPrograms
  let timers = Timers()
  private let service: ServiceManager?
  let socketPath: String
  private let reactor: Reactor<Source>
  private let signals: SignalDescriptor
  private var state = State.guarding
  /// The guard that this one replaces, until it has left.
  private var predecessor: (pidfd: DescriptorBox, registration: Slot)?
  /// lulld has told everything.
  private(set) var isTold = false
  /// The life of a lulld that ended meanwhile, in nanoseconds.
  var lifeBesidePredecessor: Int64 = 0
  /// The way to a lull-audio that plays on, for the next lulld.
  var sound: (message: Message, way: DescriptorBox)?

  package init(options: DaemonOptions, listener: consuming Descriptor, socketPath: String, daemonPath: String)
    throws(SystemError)
  {
    self.socketPath = socketPath
    service = ServiceManager(options.service)
    program = DaemonProgram(
      daemonPath, listener: DescriptorBox(listener), options: options, policy: policy)
    let files = StandardErrorLog.guardian.ignoring([], try ResourceLimits.raiseOpenFiles()) ?? 1024
    lines = LineStore(capacity: Self.roomForLines(openFiles: files))
    frozen = FrozenPrograms(root: options.cgroupRoot)
    reactor = try Reactor(capacity: 8)
    child = DaemonChild(reactor, policy)
    signals = try SignalDescriptor(blocking: Signal.endingHere() + [Signal.child])
    try Process.becomeSubreaper()
    for signal in Signal.needless { try Signal.ignore(signal) }
    _ = try reactor.add(signals.raw, .readable, as: .signals)
    if options.replaces { try watchPredecessor() }
  }

  /// A guard that may have so many files open has room for so many kept lines.
  package static func roomForLines(openFiles: Int) -> Int { min(Policy().maximumKeptLines, openFiles / 4) }

  // MARK: The loop

  /// Guards until lulld ends in good order; returns the exit status.
  package func run() throws(SystemError) -> Int32 {
    try begin()
    while true {
      if case .over(let status) = state { return status }
      child.flush()
      if child.needsRetry, !timers.isScheduled(.flush) {
        timers.schedule(.flush, after: policy.linkRetry.nanoseconds)
      }
      try reactor.arm(at: [timers.next, service?.deadline].compactMap(\.self).min())
      try waitForWork()
      for place in reactor.events {
        if let event = reactor[place] { try serve(event.source) }
      }
      if try reactor.takeExpiration() {
        timersAreDue()
        service?.timeIsUp { isWell }
      }
    }
  }

  private func begin() throws(SystemError) {
    guard program.isRunning else {
      frozen.thawCgroups()
      try start()
      service?.ready()
      return
    }
    try child.adopt()
    // This one is late: the guard before it has gone on after the death of that lulld.
    guard !isBesidePredecessor || child.isAlive else { return end(1) }
    // The guard before this one leaves after that: the service manager must know the new main process then.
    service?.ready(waits: true)
    child.tell(Message(.begin))
  }

  /// Waits for work. Where lulld is not this process's child, no signal tells that it is stopped, but then
  /// its epoll set stays readable. The set is polled and not watched: in a second set it would count as
  /// nested, and slow down each change to it.
  private func waitForWork() throws(SystemError) {
    guard let set = child.polled, !timers.isScheduled(.check), !timers.isScheduled(.proceed) else {
      return try reactor.wait()
    }
    var entries = [PollEntry(reactor.raw, .readable), PollEntry(set, .readable)]
    try Socket.pollMany(&entries, timeoutMilliseconds: -1)
    if !entries[1].readiness.isEmpty { timers.schedule(.check, after: policy.daemonCheck.nanoseconds) }
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
    case .predecessor: predecessorEnded()
    }
  }

  private func timersAreDue() {
    while let timer = timers.takeDue() {
      switch timer {
      case .start: startAgain()
      case .proceed: child.proceed()
      case .kill: child.send(Signal.kill)
      case .check: if child.isStopped() { childStopped() }
      case .yield: yield()
      case .flush: break
      }
    }
  }

  // MARK: The guard before this one

  private func watchPredecessor() throws(SystemError) {
    let pidfd = DescriptorBox(Descriptor(owning: DaemonOptions.predecessorNumber))
    predecessor = (pidfd, try reactor.add(pidfd.raw, .readable, as: .predecessor))
  }

  var isBesidePredecessor: Bool { predecessor != nil }

  func dismissPredecessor() {
    if let predecessor = predecessor.take() { reactor.remove(predecessor.registration) }
  }

  // MARK: The end

  var isStopping: Bool { if case .guarding = state { false } else { true } }

  var isOver: Bool { if case .over = state { true } else { false } }

  /// Gives lulld its time to end. A second signal neither cuts the time short nor adds to it.
  func expectEnd() {
    guard !isStopping else { return }
    state = .stopping
    service?.stopping()
    timers.schedule(.kill, after: policy.daemonEnding.nanoseconds)
  }

  func end(_ status: Int32) {
    state = .over(status: status)
    timers.clear()
  }
}

extension Guard {
  @discardableResult
  func hear() -> Bool {
    guard child.isLinked else { return false }
    let hasCome = child.receive()
    while let (message, descriptor) = child.next() { carryOut(message, descriptor) }
    if !child.isLinked {
      // The end of a killed lulld is told only when all its descriptors are closed, some 50 ms later.
      frozen.thawAll()
      timers.schedule(.yield, after: policy.daemonYield.nanoseconds)
    }
    return hasCome
  }

  private func carryOut(_ message: Message, _ descriptor: DescriptorBox?) {
    switch GuardVerb(rawValue: message.verb) {
    case .begin: program.began()
    case .anew: lines.beginAnew()
    case .keepLine:
      guard let descriptor, !lines.keep(message, descriptor) else { return }
      let text = "a kept line (\(message[.line] ?? ""))"
      child.tell(Message(.full).adding(.name, message[.program]).adding(.detail, text))
    case .dropLine:
      lines.drop(message)
      if message[.line] == nil { isTold = true }
    case .sound: if let descriptor { sound = (message, descriptor) }
    case .upgrading: child.givesWay()
    case .stopping: expectEnd()
    case .leave: end(0)
    case .full, .thawed, nil: break
    }
  }
}

extension Guard {
  /// The guard before this one had the service manager keep these lines.
  func takeBack(_ inherited: InheritedDescriptors) {
    for item in ServiceStore(inherited).items { _ = lines.keep(item.message, item.descriptor) }
    service?.forget(inherited.named.map(\.name))
  }

  func handOver() {
    guard let service, !lines.items.isEmpty,
      let all = StandardErrorLog.guardian.ignoring([], try ServiceStore(lines.items).descriptors())
    else { return }
    service.store(all)
  }

  /// lulld lives and is not stopped. One whose turn hangs is ended by its own alarm.
  private var isWell: Bool { child.hasLived(for: service?.provingTime ?? 0) && !child.isStopped() }
}
