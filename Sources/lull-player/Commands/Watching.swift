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
    let isRedrawn = isTerminal && !json
    while true {
      try show(report, isRedrawn)
      let moves = isRedrawn && report.status == .playing
      let message: Message?
      do throws(Failure) {
        message = try connection.next(until: moves ? nextSecond(report) : nil)
      } catch {
        if isRedrawn { try StandardOutput.write("\n") }
        throw error
      }
      if let message, let next = StatusReport(message) { report = next }
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
