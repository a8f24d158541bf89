import LullChannel
import LullSystem
import LullWire

/// `lull run` from the start of its command to the command's end. It is the command's parent: the command
/// goes on, and its end is noticed here, whatever becomes of the daemon.
struct RunSession: ~Copyable {
  enum Source {
    case daemon, signals, start, nextDaemon
  }

  let name: String
  let child: ChildProcess
  /// False when the command is held still by SIGSTOP, because it is in no cgroup of the daemon's.
  var isPlaced: Bool
  /// False while no daemon is known to know the command, which runs on then and does not sleep.
  var isManaged = true
  /// The moment at which the last daemon has ended, in nanoseconds of CLOCK_BOOTTIME.
  var lostAt: Int64 = 0
  var isAttaching = false
  var isToldAlone = false
  var hasThawed = false
  /// The number of daemons that have had the command: none knows what the ones before were told.
  var daemons = 1
  var nextDaemon: NextDaemon?
  /// What the command was started by, without its environment.
  let origin: RunStart
  var connection: Connection
  let signals: ForwardedSignals
  let reactor: Reactor<Source>
  /// True when this process stops with its command; a keeper is nobody's job.
  let isJob: Bool

  init(
    name: String, origin: RunStart, child: ChildProcess, isPlaced: Bool, connection: consuming Connection,
    signals: consuming ForwardedSignals, isJob: Bool
  ) throws(Failure) {
    reactor = try Self.watch(connection, signals, of: name)
    (self.name, self.child, self.isPlaced, self.isJob) = (name, child, isPlaced, isJob)
    self.origin = origin
    self.connection = connection
    self.signals = signals
  }

  private static func watch(
    _ connection: borrowing Connection, _ signals: borrowing ForwardedSignals, of name: String
  ) throws(Failure) -> Reactor<Source> {
    let reactor: Reactor<Source> = try explained("cannot wait for \(name)", Reactor())
    try explained("cannot wait for \(name)", reactor.add(signals.raw, .readable, as: .signals))
    try connection.watch(in: reactor, as: .daemon)
    return reactor
  }

  /// Signals are noticed meanwhile: somebody may have put the command to sleep.
  ///
  /// Throws `command` when the command does not exist or cannot be executed.
  mutating func start(_ command: String) throws(Failure) {
    child.openGate()
    let watch = try explained(
      "cannot wait for \(name)", reactor.add(child.execStatus.raw, .readable, as: .start))
    do throws(Failure) {
      while try !child.hasStarted(command) {
        try wait(-1)
        try takeSignals()
      }
    } catch {
      reactor.remove(watch)
      // The daemon sees that the child never became the command as long as nobody has taken its status.
      if error.isOfCommand { _ = try? waitForEnd() }
      throw error
    }
    reactor.remove(watch)
  }

  mutating func waitForEnd() throws(Failure) -> ExitStatus {
    while true {
      if let status = try turn() { return status }
      try wait(-1)
    }
  }

  /// Takes what has come, without waiting; returns how the command ended, once it has. For a loop that
  /// watches the session's reactor.
  mutating func takeTurn() throws(Failure) -> ExitStatus? {
    try wait(0)
    return try turn()
  }

  private func wait(_ milliseconds: Int32) throws(Failure) {
    try explained("cannot wait for \(name)", reactor.wait(timeoutMilliseconds: milliseconds))
  }

  private mutating func takeSignals() throws(Failure) {
    for place in reactor.events where reactor[place]?.source == .signals {
      while let arrival = try signals.next() { handle(arrival) }
    }
  }

  private mutating func turn() throws(Failure) -> ExitStatus? {
    try takeSignals()
    if let status = try childChanged() {
      tell(status)
      child.reap()
      return status
    }
    hearDaemon()
    lookForDaemon()
    return nil
  }

  private mutating func childChanged() throws(Failure) -> ExitStatus? {
    child.reapOrphans()
    while true {
      let change = try explained("cannot wait for \(name)", child.nextChange())
      switch change {
      case .ended(let status): return status
      case .stopped(let signal): try stop(by: signal)
      case .continued:
        // Somebody has continued the command alone: the daemon must not take it for stopped any more.
        if isPlaced { passAsSent(Signal.continue) }
      case nil: return nil
      }
    }
  }

  /// No notice is of use: the child's end is the kernel's to tell.
  private mutating func hearDaemon() {
    guard isManaged else { return }
    do throws(Failure) {
      while try connection.nextNotice() != nil {}
    } catch {
      lose()
    }
  }

  /// The time in which a daemon that is asked whether it knows the command may answer after the command's
  /// end, in nanoseconds.
  private static let farewell: Int64 = 1_000_000_000

  /// Tells the daemon the status of the command, which it may not learn any more once this process has taken
  /// it. What the daemon answers changes nothing. Where none runs, the status is written for the next one.
  private mutating func tell(_ status: ExitStatus) {
    if isManaged { pass(.ended(name: name, status)) }
    guard !isManaged else { return }
    note(status)
    // The race: the next daemon may have read the ledger before.
    let deadline = Clock.boottime() + Self.farewell
    while isAttaching, (try? connection.wait(until: deadline)) == true { takeAnswer() }
    if isManaged { pass(.ended(name: name, status)) }
  }

  private func note(_ status: ExitStatus) {
    let process = try? ProcessIdentity.current(child.pid)
    try? LedgerFile.noteEnd(EndEntry(name: name, at: Clock.realtime(), process: process, status: status))
  }

  /// Sends a request whose refusal changes nothing: the program may have ended, which its parent learns from
  /// the kernel.
  ///
  /// Returns the records of the answer; none when the request was refused, and nil without a daemon.
  @discardableResult
  mutating func pass(_ request: Request) -> [Message]? {
    guard isManaged else { return nil }
    do throws(Failure) {
      return try connection.ask(request).items
    } catch .refused {
      return []
    } catch {
      lose()
      return nil
    }
  }
}

extension RunSession {
  /// Has the command notice a signal. What the command has got already waits when it sleeps, so it is woken;
  /// what came here alone is passed on.
  mutating func handle(_ arrival: SignalArrival) {
    let signal = arrival.signal
    guard signal != Signal.child else { return }
    if child.hasGot(arrival) {
      // A program that sleeps draws nothing: it learns the new size of its window when it wakes. A stop goes
      // on by SIGCONT, which needs nobody's help.
      if signal != Signal.windowChange, signal != Signal.continue { passAsSent(signal) }
    } else if signal == Signal.continue, child.isStopped {
      child.send(signal)
    } else if pass(.signal(name: name, number: signal)) == nil {
      child.send(signal)
    }
  }

  mutating func passAsSent(_ signal: Int32) { pass(.signal(name: name, number: signal, sent: true)) }

  /// The command was stopped, as Ctrl-Z or a read of the terminal in the background stops it: this process
  /// stops by the same signal, so that the shell sees its job stopped. A program in the foreground is in the
  /// background meanwhile, and comes back with the shell's "fg" or "bg".
  ///
  /// Where the daemon holds programs still by SIGSTOP, that signal is the daemon's.
  mutating func stop(by signal: Int32) throws(Failure) {
    guard isJob, isPlaced || signal != Signal.stop || !isManaged else { return }
    let isActive = isInForeground()
    if isActive { pass(.background(name: name)) }
    var (last, wasContinued): (Int32?, Bool) = (signal, false)
    do throws(SystemError) {
      while let signal = last {
        // SIGSTOP would stop this process also where no shell continues it, when the command goes on.
        wasContinued = try Signal.stop(by: signal == Signal.stop ? Signal.terminalStop : signal)
        let isStopped = child.isStopped
        // The race: after "bg" the command may have read the terminal, which has stopped the job again.
        last = try child.newStop()
        // SIGCONT may have been sent to this process alone. It is not read again with the other signals: then
        // it would undo a stop that came after it.
        if last == nil, isStopped, wasContinued { child.send(Signal.continue) }
      }
    } catch {
      throw .failed("cannot stop: \(error)")
    }
    // A job that goes on in the background of the shell runs, or "bg" would be of no use; and "fg" tells
    // nobody when it takes a running job to the foreground.
    if isActive { pass(.foreground(name: name)) } else if wasContinued { passAsSent(Signal.continue) }
  }

  mutating func isInForeground() -> Bool {
    let program = try? pass(.status(name: name))?.records(ProgramItem.self).first
    return program?.state.known?.isInForeground ?? false
  }
}
