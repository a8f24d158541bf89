import LullSystem
import LullWire

/// What `lull status --watch` writes: the table on the screen, or an object of JSON per line.
struct StatusDisplay {
  private let question: StatusQuestion
  /// Nil: JSON is written.
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

extension StatusReport {
  /// The time, in seconds, for which the times in it stay about right; nil when there are none.
  var patience: Double? {
    programs.flatMap(\.times).map(DurationText.patience).min()
  }

  mutating func age(by seconds: Double) {
    for index in programs.indices { programs[index].age(by: seconds) }
  }
}

extension ProgramReport {
  /// The times that the short forms of its cells show, in seconds.
  fileprivate var times: [Double] {
    leases.compactMap(\.endsInSeconds)
      + [lastWake?.agoSeconds, keepAlive?.dueInSeconds, ownTimer?.dueInSeconds].compactMap(\.self)
  }

  fileprivate mutating func age(by seconds: Double) {
    for index in leases.indices {
      leases[index].endsInSeconds = leases[index].endsInSeconds.map { max(0, $0 - seconds) }
    }
    lastWake?.agoSeconds += seconds
    keepAlive?.dueInSeconds -= seconds
    ownTimer?.age(by: seconds)
  }
}
