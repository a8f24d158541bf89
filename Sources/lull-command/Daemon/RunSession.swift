import LullSystem
import LullWire

/// `lull run` from the start of its program to the program's end: passes signals on, and comes back to a
/// daemon that was restarted, since the program goes on meanwhile.
struct RunSession: ~Copyable {
  /// How long a restarted daemon may take to be there again, in nanoseconds.
  private static let patience: Int64 = 10_000_000_000
  /// How long it may not know the program yet, after it is there.
  private static let adoption: Int64 = 2_000_000_000

  private let name: String
  /// The command's first process; no descriptor when it ended before it could be opened.
  private let pid: Int32
  private let pidfd: DescriptorBox?
  /// The signal that is being passed on.
  private var unsent: Int32?
  private var connection: Connection
  private let signals: ForwardedSignals
  /// Whether the program was in the foreground when Ctrl-Z took it away and has not come back.
  private var isSentBack = false

  init(name: String, pid: Int32, connection: consuming Connection, signals: consuming ForwardedSignals) {
    self.name = name
    self.pid = pid
    pidfd = Leftover.open(pid)
    self.connection = connection
    self.signals = signals
  }

  /// Waits; returns the status to exit with.
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
    while let notice = try connection.nextNotice() {
      if notice.notice == .exited { return try status(of: notice) }
    }
    while let signal = try signals.next() { try handle(signal) }
    // Asking for a signal's delivery may have brought the notice of the end with it.
    if let notice = try connection.nextNotice() {
      return notice.notice == .exited ? try status(of: notice) : nil
    }
    var entries = [PollEntry(connection.raw, .readable), PollEntry(signals.raw, .readable)]
    do {
      try Socket.pollMany(&entries, timeoutMilliseconds: -1)
    } catch {
      throw .failed("cannot wait for \(name): \(error)")
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

  // MARK: Signals

  private mutating func handle(_ signal: Int32) throws(Failure) {
    unsent = signal
    switch signal {
    case Signal.terminalStop: try stop()
    default: try pass(.signal(name: name, number: signal))
    }
    unsent = nil
  }

  /// Ctrl-Z: the program goes to the background, where it may sleep, and lull stops: the shell goes on.
  /// SIGTSTP itself would be lost: the program has a process group of its own, which no shell controls.
  ///
  /// "fg" brings the program to the foreground again, if it was there: one that sleeps by itself never is,
  /// and could not sleep any more. After "bg" lull stops once more, as a reader of the
  /// terminal does: a program in the foreground would take what is typed for the shell.
  private mutating func stop() throws(Failure) {
    if try isInForeground() { isSentBack = true }
    try pass(.background(name: name))
    while true {
      do {
        try Process.kill(Identity.pid(), Signal.stop)
      } catch {
        throw .failed("cannot stop: \(error)")
      }
      let isForeground = Terminal.isForeground(StandardStreams.input)
      if isForeground, isSentBack {
        isSentBack = false
        try pass(.foreground(name: name))
      }
      // A signal beside SIGCONT, as "kill %1" sends it, may end the program: its end must be seen.
      let isSignaled = try passWaiting()
      if isForeground || isSignaled { return }
    }
  }

  private mutating func isInForeground() throws(Failure) -> Bool {
    let program = try pass(.status(name: name)).first { $0.itemKind == .program }
    return program?[.state] == "active" || program?[.state] == "inactive"
  }

  /// Passes on what came while lull was stopped, so that SIGCONT wakes the program; returns whether there was
  /// anything else.
  private mutating func passWaiting() throws(Failure) -> Bool {
    var isSignaled = false
    while let signal = try signals.next() {
      if signal != Signal.continue { isSignaled = true }
      try handle(signal)
    }
    return isSignaled
  }

  /// Sends a request whose refusal changes nothing: the program may have ended, which the next notice tells.
  ///
  /// Returns the records of the answer; none when it was refused.
  @discardableResult
  private mutating func pass(_ request: Request) throws(Failure) -> [Message] {
    while true {
      do throws(Failure) {
        return try connection.ask(request).items
      } catch .refused {
        return []
      } catch .connectionLost {
        if try !attachAgain() { throw .noDaemon }
      }
    }
  }

  // MARK: A restart of the daemon

  /// False when there is no daemon any more that knows the program, while this one runs on. What a daemon and
  /// its guard that were both killed left asleep is let go on: nobody else may be there to do it.
  private mutating func attachAgain() throws(Failure) -> Bool {
    let leftovers = Leftovers()
    let deadline = Clock.boottime() + Self.patience
    var unknownSince: Int64?
    while true {
      do throws(Failure) {
        var connection = try Daemon.connect()
        _ = try connection.ask(.attach(name: name))
        self.connection = connection
        return true
      } catch .refused(.noSuchProgram, _) {
        let since = unknownSince ?? Clock.boottime()
        unknownSince = since
        guard Clock.boottime() < since + Self.adoption else {
          if runsOn { return false }
          throw .failed("\(name) ended while the daemon was restarted; its exit status is not known")
        }
      } catch .noDaemon, .connectionLost {
        Leftover.tell(leftovers.releaseIfOrphaned())
        if leftovers.isOrphaned { return false }
        guard Clock.boottime() < deadline else {
          throw .failed("the daemon is gone and did not come back; \(name) may still run")
        }
      }
      Daemon.pause()
    }
  }

  private var runsOn: Bool {
    guard let pidfd else { return false }
    return (try? Socket.poll(pidfd.raw, .readable, timeoutMilliseconds: 0)) == []
  }
}
