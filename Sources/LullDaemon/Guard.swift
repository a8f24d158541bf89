public import LullSystem
import LullWire

/// The parent of lulld: keeps what must outlive it, thaws everything when it dies, and starts it again.
public final class Guard {
  /// How lulld stands.
  private enum Ward {
    case running(pid: Int32, pidfd: DescriptorBox, since: Int64)
    case ended
  }

  private enum Source: UInt64 {
    case signals, link, ward
  }

  /// So many deaths within so little time each, and the guard gives up, with every program thawed.
  private static let hopelessDeaths = 5
  private static let shortLife: Int64 = 2_000_000_000

  private var options: DaemonOptions
  private let listener: DescriptorBox
  private let socketPath: String
  private let daemonPath: String
  private let epoll: Epoll
  private let signals: SignalDescriptor
  private var ward = Ward.ended
  private var link: GuardLink?
  private var shelf = Shelf()
  private var buffer = ReceiveBuffer(capacity: 16_384)
  private var shortLives = 0
  private var isStopping = false
  private var wardStatus: ExitStatus?

  /// A guard for the daemon at `daemonPath`, which will serve `listener`.
  public init(options: DaemonOptions, listener: consuming Descriptor, socketPath: String, daemonPath: String)
    throws(SystemError)
  {
    self.options = options
    self.listener = DescriptorBox(listener)
    self.socketPath = socketPath
    self.daemonPath = daemonPath
    epoll = try Epoll()
    signals = try SignalDescriptor(blocking: [
      Signal.terminate, Signal.interrupt, Signal.hangUp, Signal.child,
    ])
    try Process.becomeSubreaper()
    try Signal.ignore(Signal.pipe)
    try epoll.add(signals.raw, token: Source.signals.rawValue, interest: .readable)
  }

  /// Guards until lulld ends in good order or cannot be kept alive; the exit status to end with.
  public func run() throws(SystemError) -> Int32 {
    if options.adopts {
      try takeOver()
    } else {
      if let root = options.cgroupRoot { CgroupPlace.thawAll(root: root) }
      try start()
    }
    var ready = ReadyList(capacity: 8)
    while true {
      _ = try epoll.wait(into: &ready, timeoutMilliseconds: -1)
      for index in 0..<ready.count {
        switch Source(rawValue: ready[index].token) {
        case .signals: try signalled()
        case .link: heard()
        case .ward: if let status = try wardEnded() { return status }
        case nil: break
        }
      }
    }
  }

  private func start() throws(SystemError) {
    let (own, other) = try UnixSocket.pair()
    var request = SpawnRequest([daemonPath, "--guarded"] + options.shared)
    request.environment = Identity.allEnvironment()
    request.passed = [
      .init(listener.raw, as: DaemonOptions.listenerNumber), .init(other.raw, as: DaemonOptions.linkNumber),
    ]
    request.openFileLimit = options.openFileLimit
    let child = try Process.spawn(request)
    let pid = child.pid
    let (pidfd, status) = child.boxes()
    other.close()
    _ = try Socket.poll(status.raw, .readable, timeoutMilliseconds: 5000)
    if case .failed(let error) = try Process.execResult(status.raw) { throw error }
    ward = .running(pid: pid, pidfd: pidfd, since: Clock.boottime())
    wardStatus = nil
    let link = GuardLink(own)
    try watch(link, pidfd)
    shelf.restore(over: link)
  }

  /// Guards a lulld whose guard died; it tells anew what is to be kept.
  private func takeOver() throws(SystemError) {
    let pidfd = DescriptorBox(Descriptor(owning: DaemonOptions.wardNumber))
    ward = .running(pid: 0, pidfd: pidfd, since: Clock.boottime())
    try watch(GuardLink(DescriptorBox(Descriptor(owning: DaemonOptions.linkNumber))), pidfd)
  }

  private func watch(_ link: GuardLink, _ pidfd: DescriptorBox) throws(SystemError) {
    self.link = link
    try epoll.add(link.descriptor.raw, token: Source.link.rawValue, interest: .readable)
    try epoll.add(pidfd.raw, token: Source.ward.rawValue, interest: .readable)
  }

  private func signalled() throws(SystemError) {
    while let (signal, _) = try signals.next() {
      guard signal != Signal.child else {
        reap()
        continue
      }
      isStopping = true
      if case .running(_, let pidfd, _) = ward { try? Process.sendSignal(pidfd.raw, Signal.terminate) }
    }
  }

  /// Programs whose daemon died have become this process's children: their status is kept for the next one.
  private func reap() {
    while let (pid, status) = try? Process.reapAny() {
      if case .running(pid, _, _) = ward {
        wardStatus = status
      } else if let message = shelf.reaped(pid, status) {
        link?.tell(message)
      }
    }
  }

  private func heard() {
    guard let link, let messages = link.receive(&buffer) else {
      if let link { try? epoll.remove(link.descriptor.raw) }
      link = nil
      return
    }
    for (message, descriptor) in messages {
      switch message.verb {
      case "store": if let descriptor { shelf.store(message, descriptor) }
      case "forget": shelf.forget(message)
      case "stopping": isStopping = true
      default: break
      }
    }
  }

  /// Thaws everything first; what the daemon still said is read before it is forgotten.
  private func wardEnded() throws(SystemError) -> Int32? {
    guard case .running(_, let pidfd, let since) = ward else { return nil }
    if let root = options.cgroupRoot { CgroupPlace.thawAll(root: root) }
    shelf.continueStopped()
    while link != nil { heard(); if !hasMore { break } }
    reap()
    try? epoll.remove(pidfd.raw)
    ward = .ended
    if let link { try? epoll.remove(link.descriptor.raw) }
    link = nil
    guard !isStopping else {
      leave()
      return 0
    }
    shortLives = Clock.boottime() - since < Self.shortLife ? shortLives + 1 : 0
    report()
    guard shortLives < Self.hopelessDeaths else {
      leave()
      return 1
    }
    options.restarts += 1
    try start()
    return nil
  }

  private func leave() {
    try? Files.unlink(socketPath)
    if let root = options.cgroupRoot { CgroupPlace.removeAll(root: root) }
  }

  private var hasMore: Bool {
    guard let link else { return false }
    return (try? Socket.poll(link.descriptor.raw, .readable, timeoutMilliseconds: 0))?.contains(.readable)
      ?? false
  }

  private func report() {
    let how =
      switch wardStatus {
      case .exited(let code)?: "ended with status \(code)"
      case .signaled(let signal)?: "was ended by \(Signal.name(of: signal))"
      case nil: "ended"
      }
    let next = shortLives < Self.hopelessDeaths ? "starting it again" : "giving up; every program runs"
    try? StandardStreams.write(Array("lull-guard: lulld \(how); \(next)\n".utf8), to: StandardStreams.error)
  }
}
