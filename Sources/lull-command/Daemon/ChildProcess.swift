import LullSystem

/// The command as a child of this process, in this session and process group: its terminal and its jobs are
/// the kernel's business.
struct ChildProcess {
  let pid: Int32
  let pidfd: DescriptorBox
  let execStatus: DescriptorBox
  private let gate: DescriptorBox

  /// The child waits at its gate before it becomes the command; `cgroup` is the directory in which it begins.
  init(
    _ command: CommandBlock, cgroup: DescriptorBox?, setting: ChildSetting, mask: SignalMask
  ) throws(SystemError) {
    var request = SpawnRequest(arguments: command.arguments, environment: command.environment)
    request.cgroup = cgroup?.raw
    (request.standardInput, request.standardOutput, request.standardError) =
      (setting.input?.raw, setting.output?.raw, setting.output?.raw)
    request.directory = setting.directory?.raw
    request.passed = setting.lines?.passed ?? []
    request.inheritsDescriptors = true
    request.signals = .inherited(mask)
    request.isGated = true
    var spawned = try Process.spawn(request)
    guard let gate = spawned.gate.take() else { preconditionFailure("a child without a gate") }
    self.gate = DescriptorBox(gate)
    pid = spawned.pid
    // The child waits at its gate: what it may use is settled before it becomes the command.
    for limit in setting.limits { try? limit.set(of: pid) }
    (pidfd, execStatus) = spawned.boxes()
  }

  /// A child that was killed meanwhile does not read any more; its end is told like any other.
  func openGate() { if let gate = gate.take() { try? Process.openGate(gate) } }

  func hasStarted(_ command: String) throws(Failure) -> Bool {
    let result = try explained("\(command) cannot be started", Process.execResult(execStatus.raw))
    switch result {
    case .pending: return false
    case .started: return true
    case .failed(let error): throw .notExecuted(command, error)
    }
  }

  func move(into cgroup: DescriptorBox?) -> Bool {
    guard let cgroup else { return false }
    return (try? Cgroup.move(pid, to: "/proc/self/fd/\(cgroup.raw)")) != nil
  }

  func turnAway() {
    send(Signal.kill)
    gate.close()
    _ = try? Socket.poll(pidfd.raw, .readable, timeoutMilliseconds: -1)
    _ = try? Process.waitStatus(pidfd.raw)
  }

  /// An end is told until ``reap()``.
  func nextChange() throws(SystemError) -> ChildChange? { try Process.nextChange(of: pid) }

  func newStop() throws(SystemError) -> Int32? {
    while let change = try nextChange() {
      switch change {
      case .stopped(let signal): return signal
      case .ended: return nil
      case .continued: continue
      }
    }
    return nil
  }

  var hasEnded: Bool {
    (try? Socket.poll(pidfd.raw, .readable, timeoutMilliseconds: 0)).map { !$0.isEmpty } ?? true
  }

  func reap() {
    _ = try? Process.waitStatus(pidfd.raw)
    reapOrphans()
  }

  /// This process may be the parent of the child's orphans.
  func reapOrphans() {
    for orphan in (try? Process.children(of: Identity.pid())) ?? [] where orphan != pid {
      guard let pidfd = try? Process.pidfdOpen(orphan) else { continue }
      _ = try? Process.waitStatus(pidfd.raw)
    }
  }
}

/// What a command has otherwise than this process; nil: what this process has.
struct ChildSetting {
  var input: DescriptorBox?
  var output: DescriptorBox?
  var directory: DescriptorBox?
  var limits: [ResourceLimit] = []
  var lines: GivenLines?
}

extension ChildProcess {
  func send(_ signal: Int32) { try? Process.sendSignal(pidfd.raw, signal) }

  var isStopped: Bool { (try? Process.isStopped(pid)) ?? false }

  /// True when a signal that came here has come to the child as well: it was sent to the process group, or
  /// the child's own program sent it, or it waits for a child that is frozen. Whether somebody else has sent
  /// it to the group or to this process alone, the kernel does not tell: then it counts as sent to this
  /// process alone.
  func hasGot(_ arrival: SignalArrival) -> Bool {
    guard let group = try? Process.processGroup(of: pid),
      group == (try? Process.processGroup(of: Identity.pid()))
    else { return false }
    return arrival.isFromKernel || isOwn(arrival.sender) || isPending(arrival.signal)
  }

  private func isPending(_ signal: Int32) -> Bool {
    guard let signals = try? ThreadSignals(of: pid, in: pid) else { return false }
    return signals.pending >> (signal - 1) & 1 == 1
  }

  private func isOwn(_ sender: Int32) -> Bool {
    var ancestor = sender
    for _ in 0..<64 where ancestor > 1 {
      if ancestor == pid { return true }
      guard let parent = try? Process.parentPid(of: ancestor) else { return false }
      ancestor = parent
    }
    return false
  }
}

/// The signals that `lull run` notices, blocked and read from a descriptor: those that end a process, those
/// of a terminal's jobs, and the news of its child. What was ignored at its start stays ignored, for it and
/// for the command.
struct ForwardedSignals: ~Copyable {
  private static var all: [Int32] {
    Signal.ending + [
      Signal.windowChange, Signal.terminalStop, Signal.terminalInput, Signal.terminalOutput, Signal.continue,
    ]
  }

  let before: SignalMask
  private let descriptor: SignalDescriptor

  init() throws(Failure) {
    let words = "cannot take signals"
    let before = try explained(words, SignalMask.current())
    // A child that was killed before its gate opened does not read from it.
    try explained(words, Signal.block([Signal.pipe]))
    let taken = Self.all.filter { !Signal.isIgnored($0) } + [Signal.child]
    let descriptor = try explained(words, SignalDescriptor(blocking: taken))
    self.before = before
    self.descriptor = descriptor
  }

  var raw: Int32 { descriptor.raw }

  func next() throws(Failure) -> SignalArrival? {
    try explained("cannot read signals", descriptor.nextArrival())
  }
}
