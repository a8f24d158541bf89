import LullChannel
import LullSystem
import LullWire

/// `lull status --watch`: shows the status anew when the daemon's log has something new. Between two events
/// it asks nothing; the times are counted here, and the timer does not wake a machine that is suspended.
struct StatusWatch: ~Copyable {
  private enum Source {
    case daemon, signals
  }

  /// The least time between two questions, in nanoseconds.
  private static let pause: Int64 = 250_000_000
  /// The time that a restarted daemon may take to accept again, in nanoseconds.
  private static let patience: Int64 = 10_000_000_000

  private let question: StatusQuestion
  private let signals: ScreenSignals
  private let reactor: Reactor<Source>
  private var connection: Connection
  private var display: StatusDisplay
  /// The moment of the last answer (CLOCK_BOOTTIME in nanoseconds).
  private var askedAt: Int64 = 0
  /// True when something has happened since the last answer.
  private var isStale = true

  private init(
    _ question: StatusQuestion, display: StatusDisplay, connection: consuming Connection,
    signals: consuming ScreenSignals, reactor: Reactor<Source>
  ) {
    (self.question, self.display, self.reactor) = (question, display, reactor)
    self.connection = connection
    self.signals = signals
  }

  /// Shows the status until a signal ends this; returns the status to exit with.
  static func run(_ question: StatusQuestion, isJSON: Bool) throws(Failure) -> Int32 {
    let display = try StatusDisplay(question, isJSON: isJSON)
    let connection = try Daemon.connect()
    let signals = try ScreenSignals()
    let reactor = try reactor(signals)
    var watch = StatusWatch(
      question, display: display, connection: connection, signals: signals, reactor: reactor)
    try watch.follow()
    return try watch.waitForEnd()
  }

  private static func reactor(_ signals: borrowing ScreenSignals) throws(Failure) -> Reactor<Source> {
    do throws(SystemError) {
      let reactor = try Reactor<Source>()
      _ = try reactor.add(signals.raw, .readable, as: .signals)
      return reactor
    } catch {
      throw .failed("cannot wait: \(error)")
    }
  }

  private mutating func waitForEnd() throws(Failure) -> Int32 {
    defer { display.end() }
    while true {
      do throws(Failure) {
        if let status = try turn() { return status }
      } catch .connectionLost {
        try connectAgain()
      }
    }
  }

  private mutating func turn() throws(Failure) -> Int32? {
    while let notice = try connection.nextNotice() {
      if notice.notice == .entry { isStale = true }
    }
    let now = Clock.boottime()
    if isStale, now >= askedAt + Self.pause {
      isStale = false
      let report = try question.ask(&connection)
      askedAt = Clock.boottime()
      try display.show(report, at: askedAt)
      // The answer may have brought notices with it.
      return nil
    }
    try wait(until: isStale ? askedAt + Self.pause : display.nextChange)
    if let status = try takeSignals() { return status }
    try display.refresh(at: Clock.boottime())
    return nil
  }

  private func wait(until moment: Int64?) throws(Failure) {
    do throws(SystemError) {
      try reactor.arm(at: moment)
      try reactor.wait()
      _ = try reactor.takeExpiration()
    } catch {
      throw .failed("cannot wait: \(error)")
    }
  }

  private mutating func takeSignals() throws(Failure) -> Int32? {
    while let signal = try signals.next() {
      switch signal {
      case Signal.windowChange, Signal.continue: try display.redraw()
      case Signal.terminalStop:
        display.end()
        try signals.stop()
        try display.redraw()
      // Ctrl-C is how one leaves.
      case Signal.interrupt: return 0
      default: return 128 + signal
      }
    }
    return nil
  }

  // MARK: The daemon

  private mutating func follow() throws(Failure) {
    try connection.watch(in: reactor, as: .daemon)
    _ = try connection.ask(.log(follow: true, last: 0))
  }

  /// Connects to a daemon that was restarted.
  private mutating func connectAgain() throws(Failure) {
    connection.unwatch(in: reactor)
    let deadline = Clock.boottime() + Self.patience
    while true {
      do throws(Failure) {
        connection = try Daemon.connect()
        try follow()
        isStale = true
        return
      } catch {
        guard error == .noDaemon || error == .connectionLost, Clock.boottime() < deadline else { throw error }
        connection.unwatch(in: reactor)
      }
      Daemon.pause()
    }
  }
}
