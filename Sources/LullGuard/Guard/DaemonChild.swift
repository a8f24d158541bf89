import LullChannel
import LullEngine
import LullSystem
import LullWire

/// The lulld of a lull-guard: its process and the link to it.
final class DaemonChild {
  private enum State {
    case running(HelperProcess, registration: Slot, since: Int64)
    case ended
  }

  private let reactor: Reactor<Guard.Source>
  private var state = State.ended
  private var link: MessageChannel?
  private var buffer = ReceiveBuffer(capacity: 16_384)
  /// The child's epoll set, where the guard is not the child's parent and is not told when the child is
  /// stopped.
  private var epollCopy: DescriptorBox?
  private(set) var status: ExitStatus?
  /// The child has said that it ends for the next one.
  private(set) var isGivingWay = false
  private var stops: Backoff
  private var proceededAt: Int64 = 0

  init(_ reactor: Reactor<Guard.Source>, _ policy: SupervisionPolicy) {
    self.reactor = reactor
    stops = Backoff(policy)
  }

  var process: HelperProcess? {
    if case .running(let process, _, _) = state { process } else { nil }
  }

  var isRunning: Bool { process != nil }

  /// The process has not ended; `isRunning` until that is noted.
  var isAlive: Bool {
    guard let process else { return false }
    let end = StandardErrorLog.guardian.ignoring(
      [], try Socket.poll(process.pidfd.raw, .readable, timeoutMilliseconds: 0))
    return end?.isEmpty ?? false
  }

  /// The child runs no more code; its end is told when its descriptors are closed.
  var isEnding: Bool {
    guard let process else { return false }
    return StandardErrorLog.guardian.ignoring(.gone, try Process.isEnding(process.pid)) ?? true
  }

  func hasLived(for time: Int64) -> Bool {
    guard case .running(_, _, let since) = state else { return false }
    return Clock.boottime() - since >= time
  }

  var isLinked: Bool { link != nil }
  var polled: Int32? { epollCopy?.raw }

  // MARK: The child's life

  /// Waits until the program runs.
  func start(_ request: SpawnRequest) throws(SystemError) -> MessageChannel {
    let (own, other) = try UnixSocket.pair()
    var request = request
    request.passed.append(.init(other.raw, as: DaemonOptions.linkNumber))
    let process = try HelperProcess.launch(request, waitingAtMost: 5000)
    other.close()
    (status, isGivingWay) = (nil, false)
    return try attach(process, own)
  }

  /// Takes over a lulld that runs and has handed its descriptors to this process.
  func adopt() throws(SystemError) {
    let pidfd = DescriptorBox(Descriptor(owning: DaemonOptions.childNumber))
    let end = DescriptorBox(Descriptor(owning: DaemonOptions.linkNumber))
    // lulld itself made the pair of sockets.
    let process = HelperProcess(pid: try UnixSocket.peer(of: end.raw).pid, pidfd: pidfd)
    epollCopy = DescriptorBox(Descriptor(owning: DaemonOptions.epollNumber))
    _ = try attach(process, end)
  }

  private func attach(_ process: HelperProcess, _ end: DescriptorBox) throws(SystemError) -> MessageChannel {
    let link = MessageChannel(guardLink: end, maximumOutput: .max)
    self.link = link
    try link.watch(in: reactor, as: .link)
    let registration = try reactor.add(process.pidfd.raw, .readable, as: .child)
    state = .running(process, registration: registration, since: Clock.boottime())
    return link
  }

  func end() -> Int64 {
    guard case .running(_, let registration, let since) = state else { return 0 }
    reactor.remove(registration)
    unlink()
    (state, epollCopy) = (.ended, nil)
    return Clock.boottime() - since
  }

  func givesWay() { isGivingWay = true }

  func reaped(_ pid: Int32, _ status: ExitStatus) { if process?.pid == pid { self.status = status } }

  // MARK: Signals and stops

  func send(_ signal: Int32) {
    guard let process else { return }
    StandardErrorLog.guardian.ignoring(.ended, try process.send(signal))
  }

  /// True once for each stop by a signal, where the guard is the child's parent.
  func hasStopped() -> Bool {
    guard let process else { return false }
    return StandardErrorLog.guardian.ignoring(.ended, try process.hasStopped()) ?? false
  }

  func isStopped() -> Bool {
    guard let process else { return false }
    return StandardErrorLog.guardian.ignoring(.gone, try Process.isStopped(process.pid)) ?? false
  }

  /// The wait before a child that was stopped is continued, in nanoseconds. A child that is stopped again and
  /// again is continued less and less often.
  func waitAfterStop() -> Int64 { stops.next(after: Clock.boottime() - proceededAt) }

  func proceed() {
    proceededAt = Clock.boottime()
    // lulld believes that its programs sleep.
    tell(Message(.thawed))
    send(Signal.continue)
  }

  // MARK: Messages on the link

  func tell(_ message: Message) { link?.tell(message) }

  func flush() {
    guard let link else { return }
    link.flush()
    StandardErrorLog.guardian.ignoring([], try link.updateInterest(in: reactor))
  }

  var needsRetry: Bool { link?.needsRetry ?? false }

  func receive() -> Bool {
    if case .bytes = link?.receive(into: &buffer) { true } else { false }
  }

  /// Nil when there is no message. The link is dropped when nothing more will come.
  func next() -> (message: Message, descriptor: DescriptorBox?)? {
    guard let link else { return nil }
    if let next = link.nextMessage() { return next }
    if link.inputEnd != nil { unlink() }
    return nil
  }

  private func unlink() {
    link?.unwatch(in: reactor)
    link = nil
  }

  // MARK: The end

  /// The child was ended by a fault of its own, or by its alarm. SIGKILL and SIGTERM come from somebody else.
  var hasCrashed: Bool {
    if case .signaled(let signal) = status { Signal.isFault(signal) || hasHung } else { false }
  }

  var hasHung: Bool { status == .signaled(Signal.alarm) }

  var ending: String {
    switch status {
    case .exited(let code)?: "ended with status \(code)"
    case .signaled(Signal.alarm)?: "hung for \(DaemonOptions.longestTurn) s and was ended"
    case .signaled(let signal)?: "was ended by \(Signal.name(of: signal))"
    case .unknown?, nil: "ended"
    }
  }
}
