import LullChannel
import LullSystem
import LullWire

/// The notices that a subcommand follows, over a restart of the daemon too, and the signals that it takes
/// meanwhile.
final class Following {
  enum Source {
    case daemon, signals, keys
  }

  /// The time that a restarted daemon may take to accept again, in nanoseconds.
  private static let patience: Int64 = 10_000_000_000

  let reactor: Reactor<Source>
  private var connection: Connection
  private let signals: SignalDescriptor

  init(_ connection: consuming Connection, signals numbers: [Int32] = [Signal.terminate]) throws(Failure) {
    self.connection = connection
    try self.connection.greet()
    signals = try explained("cannot take signals", SignalDescriptor(blocking: numbers))
    reactor = try explained("cannot wait for the daemon", Reactor())
    try explained("cannot wait for the daemon", reactor.add(signals.raw, .readable, as: .signals))
    try self.connection.watch(in: reactor, as: .daemon)
  }

  func ask(_ request: Request) throws(Failure) -> [Message] { try connection.ask(request).items }

  func ask<Answer>(
    _ question: (inout Connection) throws(Failure) -> Answer
  ) throws(Failure) -> Answer { try question(&connection) }

  func nextNotice() throws(Failure) -> Message? { try connection.nextNotice() }

  /// Waits until something has come, or until a moment of CLOCK_BOOTTIME in nanoseconds.
  func wait(until moment: Int64? = nil) throws(Failure) {
    let words = "cannot wait for the daemon"
    try explained(words, reactor.arm(at: moment))
    try explained(words, reactor.wait())
    try explained(words, reactor.takeExpiration())
  }

  func nextSignal() throws(Failure) -> Int32? { try explained("cannot read signals", signals.next()?.signal) }

  /// Connects to the next daemon and begins anew with it; false when a signal waits to be taken meanwhile.
  func connectAgain(_ begin: () throws(Failure) -> Void) throws(Failure) -> Bool {
    let deadline = Clock.boottime() + Self.patience
    while true {
      connection.unwatch(in: reactor)
      do throws(Failure) {
        connection = try Daemon.connect()
        try connection.watch(in: reactor, as: .daemon)
        try begin()
        return true
      } catch {
        guard error == .noDaemon || error == .connectionLost, Clock.boottime() < deadline else { throw error }
      }
      try explained("cannot wait for the daemon", reactor.wait(timeoutMilliseconds: 0))
      if reactor.events.contains(where: { reactor[$0]?.source == .signals }) { return false }
      Daemon.pause()
    }
  }
}

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
  /// Nil where JSON is written, an object per line.
  private var screen: Screen?
  /// Nil where there is no screen, or nobody who could press it.
  private let quitKey: QuitKey?
  private var keys: Slot?
  private var report: StatusReport?
  /// The moments of the last answer and of the times that are shown (CLOCK_BOOTTIME in nanoseconds).
  private var askedAt: Int64 = 0, shownAt: Int64 = 0
  private var isStale = true
  private var memory: ColumnMemory? = ColumnMemory()

  private init(_ question: StatusQuestion, isJSON: Bool) throws(Failure) {
    if !isJSON { screen = try Screen() }
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
      let answer = try following.ask(question.ask)
      (report, askedAt) = (answer, Clock.boottime())
      shownAt = askedAt
      if screen == nil { try Output.write(JSONOutput.text(answer, .line)) } else { try redraw() }
      // The answer may have brought notices with it.
      return nil
    }
    try following.wait(until: isStale ? askedAt + Self.pause : nextChange)
    if hasQuit() { return 0 }
    if let status = try takeSignals() { return status }
    let now = Clock.boottime()
    if let nextChange, now >= nextChange {
      report?.age(by: Double(now - shownAt) / 1e9)
      shownAt = now
      try redraw()
    }
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
      try redraw()
    }
    return nil
  }

  private mutating func leaveTerminal() {
    screen?.leave()
    quitKey?.leave()
  }

  /// The moment at which a time that is shown is not right any more; nil: none is shown.
  private var nextChange: Int64? {
    guard screen != nil, let patience = report?.patience else { return nil }
    return shownAt + Int64(patience * 1e9)
  }

  private mutating func redraw() throws(Failure) {
    guard let report else { return }
    var style = Style.ofStandardOutput()
    style.isBrief = true
    if let end = question.lastEnd(report) {
      try screen?.draw(EndedText.text(end, style))
    } else {
      try screen?.draw(StatusText.text(report, style, keeping: &memory))
    }
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

/// The other screen of a terminal, where a text is drawn in place of the one before (xterm, "Alternate Screen
/// Buffer"; the rest is ECMA-48). What was on the terminal before is there again after ``leave()``.
struct Screen {
  private static let enter = "\u{1B}[?1049h\u{1B}[?25l"
  private static let exit = "\u{1B}[?25h\u{1B}[?1049l"
  private static let top = "\u{1B}[H"
  private static let clearRestOfLine = "\u{1B}[K"
  private static let clearRest = "\u{1B}[J"

  private var isEntered = false

  /// Throws `usage` when standard output is no terminal, or one that cannot do it.
  init() throws(Failure) {
    let (isTerminal, kind) = (Terminal.isTerminal(StandardStreams.output), Identity.environment("TERM"))
    guard !isTerminal || kind == nil || kind == "dumb" else { return }
    let reason =
      isTerminal ? "this terminal cannot be drawn on anew (TERM)" : "standard output is no terminal"
    throw .usage("--watch: \(reason); give --json too, or use \"lull log --follow\"")
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

/// `lull notifications --follow`: tells what is shown and withdrawn, over a restart of the daemon too.
struct NotificationFollower {
  private let isJSON: Bool
  private let style = Style.ofStandardOutput()
  private let following: Following
  /// What was told and not withdrawn.
  private var told: [NotificationItem] = []

  static func run(isJSON: Bool) throws(Failure) {
    var follower = NotificationFollower(isJSON: isJSON, following: try Following(Daemon.connect()))
    try follower.begin()
    repeat {
      do throws(Failure) {
        try follower.hear()
        try follower.following.wait()
      } catch .connectionLost {
        let following = follower.following
        _ = try following.connectAgain { () throws(Failure) in try follower.begin() }
      }
    } while try follower.following.nextSignal() == nil
  }

  private init(isJSON: Bool, following: Following) { (self.isJSON, self.following) = (isJSON, following) }

  /// Tells what is there, unless it was told, and what has gone since.
  private mutating func begin() throws(Failure) {
    let items = try following.ask(.notifications(follow: true))
    let reports = try readable(items.records(NotificationItem.self))
    for old in told where !reports.contains(where: { $0.id == old.id }) { try tell(.withdrawn(old.id)) }
    for report in reports where !told.contains(where: { $0.isSame(as: report) }) {
      try tell(.notification(report))
    }
  }

  private mutating func hear() throws(Failure) {
    while let notice = try following.nextNotice() {
      guard notice.notice == .notification || notice.notice == .withdrawn else { continue }
      try tell(readable(NotificationNews(notice)))
    }
  }

  private mutating func tell(_ news: NotificationNews) throws(Failure) {
    switch news {
    case .withdrawn(let id): told.removeAll { $0.id == id }
    case .notification(let report):
      told.removeAll { $0.id == report.id }
      told.append(report)
    }
    try Output.write(isJSON ? JSONOutput.text(news, .line) : NotificationsText.text(news, style))
  }
}

extension NotificationItem {
  /// True when another report tells people nothing new. The time of a scheduled one is measured anew.
  fileprivate func isSame(as other: NotificationItem) -> Bool {
    var other = other
    other.at = at
    return self == other
  }
}
