import LullPlayer
import LullSystem
import LullWire

/// `status --watch`: a text line per change, or on a terminal one text line that is drawn anew.
///
/// The player is not asked: the position follows from the last report and the clock, so that watching does
/// not wake the player.
struct Watching {
  let json: Bool
  private let isTerminal = Terminal.isTerminal(StandardStreams.output)

  init(json: Bool) {
    self.json = json
  }

  func run(_ connection: inout PlayerConnection) throws(Failure) {
    guard var report = try connection.report(Message("watch")) else { return }
    if isTerminal, !json {
      let status = try redraw(&report, &connection)
      try StandardOutput.write("\n")
      guard status == 0 else { throw .status(status) }
      return
    }
    while true {
      try show(report, false)
      if let message = try connection.next(until: nil), let next = StatusReport(message) { report = next }
    }
  }

  /// Returns the status to exit with when a signal or `q` ends this.
  private func redraw(
    _ report: inout StatusReport, _ connection: inout PlayerConnection
  ) throws(Failure) -> Int32 {
    let keys = try WatchKeys()
    while true {
      do throws(Failure) {
        // What has come is taken without a wait.
        while let message = try connection.next(until: Clock.boottime()) {
          if let next = StatusReport(message) { report = next }
        }
      } catch {
        try StandardOutput.write("\n")
        throw error
      }
      try show(report, true)
      let change = report.status == .playing ? nextSecond(report) : nil
      if let status = try keys.wait(for: connection.raw, until: change) { return status }
    }
  }

  private func show(_ report: StatusReport, _ isRedrawn: Bool) throws(Failure) {
    let now = Clock.boottime()
    if isRedrawn {
      let columns = Terminal.columns(StandardStreams.output) ?? 80
      try StandardOutput.write("\r\(ProgressLine.text(report, at: now, columns: columns))\u{1B}[K")
    } else {
      try StandardOutput.write(
        (json ? StatusText.json(report, at: now) : StatusText.line(report, at: now)) + "\n")
    }
  }

  private func nextSecond(_ report: StatusReport) -> Int64 {
    let now = Clock.boottime()
    let position = report.position(at: now)
    let left = (position.rounded(.down) + 1 - position) * 1e9
    return now + max(20_000_000, Int64(saturating: left.rounded(.up)))
  }
}

/// The keys and signals of who watches on a terminal. The terminal has its modes back when this value ends.
struct WatchKeys: ~Copyable {
  private static let caught = [
    Signal.interrupt, Signal.terminate, Signal.hangUp, Signal.quit, Signal.terminalStop, Signal.continue,
  ]

  private let signals: SignalDescriptor
  private let quitKey = QuitKey()

  init() throws(Failure) {
    do {
      signals = try SignalDescriptor(blocking: Self.caught)
    } catch {
      throw .failed("cannot take signals: \(error)")
    }
    quitKey?.take()
  }

  /// Waits until a descriptor is readable or a moment of CLOCK_BOOTTIME has come, in nanoseconds; returns the
  /// status to exit with when a signal or `q` ends this.
  func wait(for raw: Int32, until moment: Int64?) throws(Failure) -> Int32? {
    var entries = [PollEntry(raw, .readable), PollEntry(signals.raw, .readable)]
    if let keys = quitKey?.raw { entries.append(PollEntry(keys, .readable)) }
    let left = moment.map { Int32(clamping: max(0, ($0 - Clock.boottime() + 999_999) / 1_000_000)) }
    do throws(SystemError) {
      try Socket.pollMany(&entries, timeoutMilliseconds: left ?? -1)
      while let (signal, _) = try signals.next() {
        if let end = try end(by: signal) { return end }
      }
    } catch {
      throw .failed("cannot wait: \(error)")
    }
    guard entries.count > 2, !entries[2].readiness.isEmpty else { return nil }
    return quitKey?.isPressed() == true ? 0 : nil
  }

  private func end(by signal: Int32) throws(SystemError) -> Int32? {
    switch signal {
    // Ctrl-C is how one leaves.
    case Signal.interrupt: return 0
    case Signal.continue: quitKey?.take()
    case Signal.terminalStop:
      quitKey?.leave()
      try Signal.stop(by: signal)
      quitKey?.take()
    default: return 128 + signal
    }
    return nil
  }
}

/// The text line that `status --watch` draws on a terminal: a mark, a bar, the time and the title.
enum ProgressLine {
  private static let widestBar = 30

  static func text(_ report: StatusReport, at now: Int64, columns: Int) -> String {
    let position = report.position(at: now)
    let time = "\(ClockText.text(position)) / \(ClockText.text(report.duration))"
    let title = report.title.map(Printable.text) ?? "the queue is empty"
    let mark = mark(report.status)
    let rest = columns - time.count - mark.count - 5
    let width = min(widestBar, max(0, rest / 2))
    let bar = bar(report.duration.map { $0 > 0 ? position / $0 : 0 } ?? 0, width: width)
    return String("\(mark) \(bar) \(time)  \(title)".prefix(max(1, columns - 1)))
  }

  private static func mark(_ status: QueuePlayer.Status) -> String {
    switch status {
    case .playing: ">"
    case .paused: "="
    case .interrupted: "!"
    case .stopped: "."
    }
  }

  private static func bar(_ part: Double, width: Int) -> String {
    let filled = max(0, min(width, Int(saturating: part * Double(width))))
    return "[" + String(repeating: "#", count: filled) + String(repeating: "-", count: width - filled) + "]"
  }
}
