import LullPlayer
import LullSystem
import LullWire

/// `status --watch`: a text line per change, or on a terminal one text line that is drawn anew.
///
/// The player is not asked: the position follows from the last report and the clock, so that watching does
/// not wake the player.
struct Watching {
  let json: Bool

  func run(_ connection: inout PlayerConnection) throws(Failure) {
    guard var report = try connection.report(Message("watch")) else { return }
    if Terminal.isTerminal(StandardStreams.output), !json {
      let result = Result { () throws(Failure) in try redraw(&report, &connection) }
      try StandardOutput.write("\n")
      let status = try result.get()
      guard status == 0 else { throw .status(status) }
      return
    }
    while true {
      let now = Clock.boottime()
      let line = json ? StatusText.json(report, at: now) : StatusText.line(report, at: now)
      try StandardOutput.write(line + "\n")
      try take(&report, from: &connection, until: nil)
    }
  }

  /// Returns the status to exit with when a signal or `q` ends this.
  private func redraw(
    _ report: inout StatusReport, _ connection: inout PlayerConnection
  ) throws(Failure) -> Int32 {
    let keys = try WatchKeys()
    while true {
      // What has come is taken without a wait.
      while try take(&report, from: &connection, until: Clock.boottime()) {}
      let (now, columns) = (Clock.boottime(), Terminal.columns(StandardStreams.output) ?? 80)
      try StandardOutput.write("\r\(ProgressLine.text(report, at: now, columns: columns))\u{1B}[K")
      let position = report.position(at: now)
      let left = (position.rounded(.down) + 1 - position) * 1e9
      let nextSecond = now + max(20_000_000, Int64(saturating: left.rounded(.up)))
      let change = report.status == .playing ? nextSecond : nil
      if let status = try keys.wait(for: connection.raw, until: change) { return status }
    }
  }

  /// False when nothing came until the moment.
  @discardableResult
  private func take(
    _ report: inout StatusReport, from connection: inout PlayerConnection, until moment: Int64?
  ) throws(Failure) -> Bool {
    guard let message = try connection.next(until: moment) else { return false }
    if let next = StatusReport(message) { report = next }
    return true
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
    do { signals = try SignalDescriptor(blocking: Self.caught) } catch {
      throw .failed("cannot take signals: \(error)")
    }
    quitKey?.take()
  }

  /// Waits until a descriptor is readable or a moment of CLOCK_BOOTTIME has come, in nanoseconds; returns the
  /// status to exit with when a signal or `q` ends this.
  func wait(for raw: Int32, until moment: Int64?) throws(Failure) -> Int32? {
    var entries = [raw, signals.raw, quitKey?.raw].compactMap { $0.map { PollEntry($0, .readable) } }
    let left = moment.map { Int32(clamping: max(0, ($0 - Clock.boottime() + 999_999) / 1_000_000)) }
    do throws(SystemError) {
      try Socket.pollMany(&entries, timeoutMilliseconds: left ?? -1)
      while let (signal, _) = try signals.next() {
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
      }
    } catch {
      throw .failed("cannot wait: \(error)")
    }
    guard entries.count > 2, !entries[2].readiness.isEmpty else { return nil }
    return quitKey?.isPressed() == true ? 0 : nil
  }
}

/// The text line that `status --watch` draws on a terminal: a mark, a bar, the time and the title.
enum ProgressLine {
  private static let widestBar = 30

  static func text(_ report: StatusReport, at now: Int64, columns: Int) -> String {
    let position = report.position(at: now)
    let time = "\(ClockText.text(position)) / \(ClockText.text(report.duration))"
    let title = report.title.map(Printable.text) ?? "the queue is empty"
    let mark =
      switch report.status {
      case .playing: ">"
      case .paused: "="
      case .interrupted: "!"
      case .stopped: "."
      }
    let width = min(widestBar, max(0, (columns - time.count - mark.count - 5) / 2))
    let part = report.duration.map { $0 > 0 ? position / $0 : 0 } ?? 0
    let filled = max(0, min(width, Int(saturating: part * Double(width))))
    let bar = String(repeating: "#", count: filled) + String(repeating: "-", count: width - filled)
    return String("\(mark) [\(bar)] \(time)  \(title)".prefix(max(1, columns - 1)))
  }
}
