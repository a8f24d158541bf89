import LullChannel
import LullSystem
import LullWire

/// `lull status --watch`: shows the status anew when the daemon's log has something new. Between two events
/// it asks nothing; the times are counted here, and the timer does not wake a machine that is suspended.
struct StatusWatch {
  /// The least time between two questions, in nanoseconds.
  private static let pause: Int64 = 250_000_000
  private static let signals = [
    Signal.interrupt, Signal.terminate, Signal.hangUp, Signal.quit, Signal.windowChange, Signal.terminalStop,
    Signal.continue,
  ]

  private let question: StatusQuestion
  private let following: Following
  /// Nil where there is no screen, or nobody who could press it.
  private let quitKey: QuitKey?
  private var keys: Slot?
  private var display: StatusDisplay
  /// The moment of the last answer (CLOCK_BOOTTIME in nanoseconds).
  private var askedAt: Int64 = 0
  private var isStale = true

  private init(_ question: StatusQuestion, isJSON: Bool) throws(Failure) {
    display = try StatusDisplay(question, isJSON: isJSON)
    following = try Following(Daemon.connect(), signals: Self.signals)
    quitKey = isJSON ? nil : QuitKey()
    self.question = question
  }

  /// Shows the status until a signal or `q` ends this; returns the status to exit with.
  static func run(_ question: StatusQuestion, isJSON: Bool) throws(Failure) -> Int32 {
    var watch = try StatusWatch(question, isJSON: isJSON)
    defer { watch.leaveTerminal() }
    _ = try watch.following.ask(.log(follow: true, last: 0))
    try watch.takeKeys()
    while true {
      do throws(Failure) {
        if let status = try watch.turn() { return status }
      } catch .connectionLost {
        let following = watch.following
        while try !following.connectAgain({ () throws(Failure) in
          _ = try following.ask(.log(follow: true, last: 0))
        }) {
          if let status = try watch.takeSignals() { return status }
        }
        watch.isStale = true
      }
    }
  }

  private mutating func turn() throws(Failure) -> Int32? {
    while let notice = try following.nextNotice() {
      if notice.notice == .entry { isStale = true }
    }
    if isStale, Clock.boottime() >= askedAt + Self.pause {
      isStale = false
      let report = try following.ask(question.ask)
      askedAt = Clock.boottime()
      try display.show(report, at: askedAt)
      // The answer may have brought notices with it.
      return nil
    }
    try following.wait(until: isStale ? askedAt + Self.pause : display.nextChange)
    if hasQuit() { return 0 }
    if let status = try takeSignals() { return status }
    try display.refresh(at: Clock.boottime())
    return nil
  }

  private mutating func takeSignals() throws(Failure) -> Int32? {
    while let signal = try following.nextSignal() {
      switch signal {
      case Signal.windowChange: break
      case Signal.continue: try takeKeys()
      case Signal.terminalStop:
        leaveTerminal()
        try explained("cannot stop", Signal.stop(by: Signal.terminalStop))
        try takeKeys()
      // Ctrl-C is how one leaves.
      case Signal.interrupt: return 0
      default: return 128 + signal
      }
      try display.redraw()
    }
    return nil
  }

  private mutating func leaveTerminal() {
    display.end()
    quitKey?.leave()
  }

  // MARK: Keys

  /// Waits for keys as long as they are this process's: the shell may have put it into the background.
  private mutating func takeKeys() throws(Failure) {
    leaveKeys()
    quitKey?.take()
    guard let raw = quitKey?.raw else { return }
    keys = try explained("cannot wait", following.reactor.add(raw, .readable, as: .keys))
  }

  private mutating func leaveKeys() {
    if let keys { following.reactor.remove(keys) }
    keys = nil
  }

  private mutating func hasQuit() -> Bool {
    let reactor = following.reactor
    guard reactor.events.contains(where: { reactor[$0]?.source == .keys }), let quitKey else { return false }
    if quitKey.isPressed() { return true }
    if quitKey.raw == nil { leaveKeys() }
    return false
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
