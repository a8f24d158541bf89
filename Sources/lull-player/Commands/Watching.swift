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
    guard var report = StatusReport(try connection.ask(.watch).last ?? Message("ok")) else { return }
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

  /// Draws the line anew until a signal or `q` ends this; returns the status to exit with.
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

  /// The moment when the shown second changes.
  private func nextSecond(_ report: StatusReport) -> Int64 {
    let now = Clock.boottime()
    let position = report.position(at: now)
    let left = (position.rounded(.down) + 1 - position) * 1e9
    return now + max(20_000_000, Int64(saturating: left.rounded(.up)))
  }
}
