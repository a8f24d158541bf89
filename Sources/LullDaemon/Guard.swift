public import LullSystem
import LullWire

/// The parent of lulld: keeps what must outlive it, thaws everything when it dies or stands still, and starts
/// it again, for ever. It touches nothing of a program that could block it.
public final class Guard {
  /// How lulld stands.
  enum Ward {
    case running(pid: Int32, pidfd: DescriptorBox, since: Int64)
    case ended
  }

  /// What is to be done at a moment of CLOCK_BOOTTIME.
  enum Chore: CaseIterable {
    case start, proceed, kill, look, yield
  }

  enum Source: UInt64 {
    case signals, link, ward, timer
  }

  /// How long lulld may take to end in good order, in nanoseconds.
  static let endingTime: Int64 = 2_000_000_000
  /// Descriptors that are not a program's.
  static let ownDescriptors = 64

  var options: DaemonOptions
  let listener: DescriptorBox
  let socketPath: String
  let daemonPath: String
  let epoll: Epoll
  let signals: SignalDescriptor
  let timer: Timer
  var ward = Ward.ended
  var wardStatus: ExitStatus?
  /// lulld's epoll set, where the guard is not its parent and is not told when it is stopped.
  var wardEpoll: DescriptorBox?
  var link: GuardLink?
  var shelf: Shelf
  var buffer = ReceiveBuffer(capacity: 16_384)
  var due: [(chore: Chore, at: Int64)] = []
  var deaths = Backoff()
  var stops = Backoff()
  var proceededAt: Int64 = 0
  var isStopping = false
  /// The exit status, once there is nothing left to guard.
  var outcome: Int32?

  /// A guard for the daemon at `daemonPath`, which will serve `listener`.
  public init(options: DaemonOptions, listener: consuming Descriptor, socketPath: String, daemonPath: String)
    throws(SystemError)
  {
    self.options = options
    self.listener = DescriptorBox(listener)
    self.socketPath = socketPath
    self.daemonPath = daemonPath
    let files = (try? Limits.raiseOpenFiles()) ?? 1024
    shelf = Shelf(capacity: files - Self.ownDescriptors)
    epoll = try Epoll()
    timer = try Timer(.boottime)
    signals = try SignalDescriptor(blocking: Startup.endingSignals() + [Signal.child])
    try Process.becomeSubreaper()
    for signal in Signal.needless { try Signal.ignore(signal) }
    try epoll.add(signals.raw, token: Source.signals.rawValue, interest: .readable)
    try epoll.add(timer.raw, token: Source.timer.rawValue, interest: .readable)
  }

  /// Guards until lulld ends in good order; the exit status to end with.
  public func run() throws(SystemError) -> Int32 {
    if options.adopts {
      try takeOver()
    } else {
      if let root = options.cgroupRoot { CgroupPlace.thawAll(root: root) }
      try start()
    }
    var ready = ReadyList(capacity: 8)
    while true {
      if let outcome { return outcome }
      link?.watch(in: epoll, token: Source.link.rawValue)
      try arm()
      try waitForWork()
      _ = try epoll.wait(into: &ready, timeoutMilliseconds: wardEpoll == nil ? -1 : 0)
      for index in 0..<ready.count {
        switch Source(rawValue: ready[index].token) {
        case .signals: try signalled()
        case .link: heard()
        case .ward: wardEnded()
        case .timer: try timerFired()
        case nil: break
        }
      }
    }
  }

  // MARK: Time

  func schedule(_ chore: Chore, after wait: Int64) {
    due.removeAll { $0.chore == chore }
    due.append((chore, Clock.boottime() + wait))
  }

  func isScheduled(_ chore: Chore) -> Bool { due.contains { $0.chore == chore } }

  private func arm() throws(SystemError) {
    if let next = due.map(\.at).min() { try timer.arm(at: next) } else { try timer.disarm() }
  }

  private func timerFired() throws(SystemError) {
    _ = try timer.expirations()
    let now = Clock.boottime()
    for chore in Chore.allCases where due.contains(where: { $0.chore == chore && $0.at <= now }) {
      due.removeAll { $0.chore == chore }
      switch chore {
      case .start: startAgain()
      case .proceed: proceed()
      case .kill: sendWard(Signal.kill)
      case .look: lookAtWard()
      case .yield: yield()
      }
    }
  }

  // MARK: Signals

  private func signalled() throws(SystemError) {
    while let (signal, _) = try signals.next() {
      if signal == Signal.child { childrenChanged() } else { stop() }
    }
  }

  /// Programs whose daemon died have become this process's children: their status is kept for the next one.
  func childrenChanged() {
    if case .running(_, let pidfd, _) = ward, (try? Process.hasStopped(pidfd.raw)) == true { wardStopped() }
    while let (pid, status) = try? Process.reapAny() {
      if case .running(pid, _, _) = ward {
        wardStatus = status
      } else if let message = shelf.reaped(pid, status) {
        link?.tell(message)
      }
    }
  }

  /// Everything is thawed first, whatever state lulld is in. It has its time once: a second signal neither
  /// cuts it short nor gives it more.
  private func stop() {
    guard !isStopping else { return }
    isStopping = true
    thawAll()
    guard case .running = ward else { return leave() }
    sendWard(Signal.terminate)
    sendWard(Signal.continue)
    schedule(.kill, after: Self.endingTime)
  }

  func sendWard(_ signal: Int32) {
    guard case .running(_, let pidfd, _) = ward else { return }
    try? Process.sendSignal(pidfd.raw, signal)
  }

  /// What is recorded stays so while lulld lives: it goes on with the record. The place is thawed for a record
  /// that is gone.
  func thawAll(forgetting: Bool = false) {
    if let root = options.cgroupRoot { CgroupPlace.thawAll(root: root) }
    Leftovers().release(forgetting: forgetting)
    shelf.continueStopped()
  }

  func leave() {
    try? Files.unlink(socketPath)
    if let root = options.cgroupRoot { CgroupPlace.removeAll(root: root) }
    Leftovers().release()
    outcome = 0
  }
}
