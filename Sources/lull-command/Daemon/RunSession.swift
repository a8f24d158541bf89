import LullChannel
import LullSystem
import LullWire

/// `lull run` from the start of its program to the program's end. It passes signals on, and connects again to
/// a restarted daemon, because the program goes on meanwhile.
struct RunSession: ~Copyable {
  private enum Source {
    case daemon, signals
  }

  let name: String
  /// The command's first process; no descriptor when the process ended before it could be opened.
  private let pid: Int32
  private let pidfd: DescriptorBox?
  /// The signal that is being passed on.
  var unsent: Int32?
  var connection: Connection
  let signals: ForwardedSignals
  private let reactor: Reactor<Source>
  /// True when Ctrl-Z took the program out of the foreground and it has not come back.
  var isSentBack = false

  init(
    name: String, pid: Int32, connection: consuming Connection, signals: consuming ForwardedSignals
  ) throws(Failure) {
    reactor = try Self.watch(connection, signals, of: name)
    self.name = name
    self.pid = pid
    pidfd = Leftover.open(pid)
    self.connection = connection
    self.signals = signals
  }

  private static func watch(
    _ connection: borrowing Connection, _ signals: borrowing ForwardedSignals, of name: String
  ) throws(Failure) -> Reactor<Source> {
    let reactor: Reactor<Source>
    do throws(SystemError) {
      reactor = try Reactor()
      _ = try reactor.add(signals.raw, .readable, as: .signals)
    } catch {
      throw .failed("cannot wait for \(name): \(error)")
    }
    try connection.watch(in: reactor, as: .daemon)
    return reactor
  }

  /// Waits for the program's end; returns the status to exit with.
  mutating func waitForEnd() throws(Failure) -> Int32 {
    while true {
      do throws(Failure) {
        if let status = try turn() { return status }
      } catch .connectionLost {
        if try !attachAgain() { return try waitUnmanaged() }
      } catch .noDaemon {
        return try waitUnmanaged()
      }
    }
  }

  private func waitUnmanaged() throws(Failure) -> Int32 {
    guard let run = UnmanagedRun(name: name, pid: pid, pidfd: pidfd) else {
      throw .failed("the daemon is gone; how \(name) ended is not known")
    }
    return try run.waitForEnd(signals, unsent: unsent)
  }

  private mutating func turn() throws(Failure) -> Int32? {
    // The race: an answer may have brought the notice of the end with it.
    while let notice = try connection.nextNotice() {
      if notice.notice == .exited { return try status(of: notice) }
    }
    do {
      try reactor.wait()
    } catch {
      throw .failed("cannot wait for \(name): \(error)")
    }
    for place in reactor.events where reactor[place]?.source == .signals {
      while let signal = try signals.next() { try handle(signal) }
    }
    return nil
  }

  private func status(of notice: Message) throws(Failure) -> Int32 {
    do {
      if let signal = try notice.integer(ifPresent: .signal, in: 1...127) { return 128 + Int32(signal) }
      if let status = try notice.integer(ifPresent: .status, in: 0...255) { return Int32(status) }
    } catch {
      throw .unreadable(error)
    }
    throw .failed("\(name) ended; its exit status is lost, because lull-guard was killed meanwhile")
  }

  // MARK: A restart of the daemon

  /// Attaches to a restarted daemon; false when no daemon knows the program, which runs on.
  mutating func attachAgain() throws(Failure) -> Bool {
    let pidfd = pidfd
    let reattachment = Reattachment(name: name) {
      guard let pidfd else { return false }
      return (try? Socket.poll(pidfd.raw, .readable, timeoutMilliseconds: 0)) == []
    }
    guard let connection = try reattachment.attach() else { return false }
    self.connection.unwatch(in: reactor)
    try connection.watch(in: reactor, as: .daemon)
    self.connection = connection
    return true
  }
}
