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
  private var connection: Connection
  private let signals: ForwardedSignals
  /// Whether the program was in the foreground when Ctrl-Z took it away and has not come back.
  private var isSentBack = false

  init(name: String, connection: consuming Connection, signals: consuming ForwardedSignals) {
    self.name = name
    self.connection = connection
    self.signals = signals
  }

  /// Waits; returns the status to exit with.
  mutating func waitForEnd() throws(Failure) -> Int32 {
    while true {
      do throws(Failure) {
        if let status = try turn() { return status }
      } catch .connectionLost {
        try attachAgain()
      }
    }
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
    switch signal {
    case Signal.terminalStop: try stop()
    default: try pass(.signal(name: name, number: signal))
    }
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

  /// Passes on what came while lull was stopped; returns whether there was anything but SIGCONT.
  private mutating func passWaiting() throws(Failure) -> Bool {
    var isSignaled = false
    while let signal = try signals.next() {
      guard signal != Signal.continue else { continue }
      isSignaled = true
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
        try attachAgain()
      }
    }
  }

  // MARK: A restart of the daemon

  private mutating func attachAgain() throws(Failure) {
    let deadline = Clock.boottime() + Self.patience
    var unknownSince: Int64?
    while true {
      do throws(Failure) {
        var connection = try Daemon.connect()
        _ = try connection.ask(.attach(name: name))
        self.connection = connection
        return
      } catch .refused(.noSuchProgram, _) {
        let since = unknownSince ?? Clock.boottime()
        unknownSince = since
        guard Clock.boottime() < since + Self.adoption else {
          throw .failed("\(name) ended while the daemon was restarted; its exit status is not known")
        }
      } catch .noDaemon, .connectionLost {
        guard Clock.boottime() < deadline else {
          throw .failed("the daemon is gone and did not come back; \(name) may still run")
        }
      }
      Daemon.pause()
    }
  }
}
