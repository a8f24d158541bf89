import LullChannel
import LullSystem
import LullWire

/// `lull status --watch`: shows the status anew when the daemon's log has something new. Between two events
/// it asks nothing; the times are counted here, and the timer does not wake a machine that is suspended.
struct StatusWatch: ~Copyable {
  private enum Source {
    case daemon, signals, keys
  }

  /// The least time between two questions, in nanoseconds.
  private static let pause: Int64 = 250_000_000
  /// The time that a restarted daemon may take to accept again, in nanoseconds.
  private static let patience: Int64 = 10_000_000_000

  private let question: StatusQuestion
  private let signals: ScreenSignals
  private let reactor: Reactor<Source>
  /// Nil where there is no screen, or nobody who could press it.
  private let quitKey: QuitKey?
  private var keys: Slot?
  private var connection: Connection
  private var display: StatusDisplay
  /// The moment of the last answer (CLOCK_BOOTTIME in nanoseconds).
  private var askedAt: Int64 = 0
  private var isStale = true

  private init(
    _ question: StatusQuestion, display: StatusDisplay, connection: consuming Connection,
    signals: consuming ScreenSignals, reactor: Reactor<Source>, quitKey: QuitKey?
  ) {
    (self.question, self.display, self.reactor, self.quitKey) = (question, display, reactor, quitKey)
    self.connection = connection
    self.signals = signals
  }

  static func run(_ question: StatusQuestion, isJSON: Bool) throws(Failure) -> Int32 {
    let display = try StatusDisplay(question, isJSON: isJSON)
    var connection = try Daemon.connect()
    try connection.greet()
    let signals = try ScreenSignals()
    let reactor = try reactor(signals)
    var watch = StatusWatch(
      question, display: display, connection: connection, signals: signals, reactor: reactor,
      quitKey: isJSON ? nil : QuitKey())
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
    defer {
      display.end()
      quitKey?.leave()
    }
    try takeKeys()
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
    if hasQuit() { return 0 }
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
      case Signal.windowChange: try display.redraw()
      case Signal.continue:
        try takeKeys()
        try display.redraw()
      case Signal.terminalStop:
        display.end()
        quitKey?.leave()
        try signals.stop()
        try takeKeys()
        try display.redraw()
      // Ctrl-C is how one leaves.
      case Signal.interrupt: return 0
      default: return 128 + signal
      }
    }
    return nil
  }

  // MARK: Keys

  /// Waits for keys as long as they are this process's: the shell may have put it into the background.
  private mutating func takeKeys() throws(Failure) {
    leaveKeys()
    quitKey?.take()
    guard let raw = quitKey?.raw else { return }
    keys = try explained("cannot wait", reactor.add(raw, .readable, as: .keys))
  }

  private mutating func leaveKeys() {
    if let keys { reactor.remove(keys) }
    keys = nil
  }

  private mutating func hasQuit() -> Bool {
    let reactor = reactor
    guard reactor.events.contains(where: { reactor[$0]?.source == .keys }), let quitKey else { return false }
    if quitKey.isPressed() { return true }
    if quitKey.raw == nil { leaveKeys() }
    return false
  }

  // MARK: The daemon

  private mutating func follow() throws(Failure) {
    try connection.watch(in: reactor, as: .daemon)
    _ = try connection.ask(.log(follow: true, last: 0))
  }

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

/// What `lull status --watch` writes: the table on the screen, or an object of JSON per line.
struct StatusDisplay {
  private let question: StatusQuestion
  private var screen: Screen?
  private var report: StatusReport?
  /// The moment of the report (CLOCK_BOOTTIME in nanoseconds).
  private var shownAt: Int64 = 0
  private var memory: ColumnMemory? = ColumnMemory()

  /// Throws `usage` when standard output is no terminal that can be redrawn.
  init(_ question: StatusQuestion, isJSON: Bool) throws(Failure) {
    self.question = question
    guard !isJSON else { return }
    guard let screen = Screen() else {
      let reason =
        Terminal.isTerminal(StandardStreams.output)
        ? "this terminal cannot be drawn on anew (TERM)" : "standard output is no terminal"
      throw .usage("--watch: \(reason); give --json too, or use \"lull log --follow\"")
    }
    self.screen = screen
  }

  /// The moment at which a time that is shown is not right any more; nil: none is shown.
  var nextChange: Int64? {
    guard screen != nil, let patience = report?.patience else { return nil }
    return shownAt + Int64(patience * 1e9)
  }

  mutating func show(_ report: StatusReport, at moment: Int64) throws(Failure) {
    (self.report, shownAt) = (report, moment)
    guard screen == nil else { return try redraw() }
    try Output.write(JSONOutput.text(report, .line))
  }

  mutating func refresh(at now: Int64) throws(Failure) {
    guard let change = nextChange, now >= change else { return }
    report?.age(by: Double(now - shownAt) / 1e9)
    shownAt = now
    try redraw()
  }

  mutating func redraw() throws(Failure) {
    guard let report, screen != nil else { return }
    var style = Style.ofStandardOutput()
    style.isBrief = true
    if let end = question.lastEnd(report) {
      try screen?.draw(EndedText.text(end, style))
    } else {
      try screen?.draw(StatusText.text(report, style, keeping: &memory))
    }
  }

  mutating func end() { screen?.leave() }
}

/// The other screen of a terminal, where a text is drawn in place of the one before (xterm, "Alternate Screen
/// Buffer"; the rest is ECMA-48). What was on the terminal before is there again after ``leave()``.
struct Screen {
  private static let enter = "\u{1B}[?1049h\u{1B}[?25l"
  private static let exit = "\u{1B}[?25h\u{1B}[?1049l"
  private static let top = "\u{1B}[H"
  private static let clearRestOfLine = "\u{1B}[K"
  private static let clearRest = "\u{1B}[J"

  private var isEntered = false

  /// Nil when standard output is no terminal, or one that cannot do it.
  init?() {
    let terminal = Identity.environment("TERM")
    guard Terminal.isTerminal(StandardStreams.output), terminal != nil, terminal != "dumb" else { return nil }
  }

  /// The last row says how many more lines there are.
  mutating func draw(_ text: String) throws(Failure) {
    let lines = Self.fitting(text, rows: Terminal.rows(StandardStreams.output))
    let start = isEntered ? "" : Self.enter
    isEntered = true
    let body = lines.map { $0 + Self.clearRestOfLine }.joined(separator: "\r\n")
    try Output.write(start + Self.top + body + Self.clearRest)
  }

  mutating func leave() {
    guard isEntered else { return }
    isEntered = false
    // A terminal that is gone needs nothing back.
    try? Output.write(Self.exit)
  }

  static func fitting(_ text: String, rows: Int?) -> [String] {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let all = lines.last == "" ? Array(lines.dropLast()) : lines
    guard let rows, rows > 0, all.count > rows else { return all }
    return all.prefix(rows - 1) + ["... and \(all.count - rows + 1) more lines"]
  }
}

/// The signals that end, stop or resize what owns the screen, blocked and read from a descriptor.
struct ScreenSignals: ~Copyable {
  private static let all = [
    Signal.interrupt, Signal.terminate, Signal.hangUp, Signal.quit, Signal.windowChange, Signal.terminalStop,
    Signal.continue,
  ]

  private let descriptor: SignalDescriptor

  init() throws(Failure) {
    descriptor = try explained("cannot take signals", SignalDescriptor(blocking: Self.all))
  }

  var raw: Int32 { descriptor.raw }

  func next() throws(Failure) -> Int32? {
    return try explained("cannot read signals", descriptor.next()?.signal)
  }

  /// Stops this process as Ctrl-Z does; returns when it was continued, or where nobody would continue it.
  func stop() throws(Failure) {
    try explained("cannot stop", Signal.stop(by: Signal.terminalStop))
  }
}
