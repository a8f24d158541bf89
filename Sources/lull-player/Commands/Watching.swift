import LullPlayer
import LullSystem
import LullWire

/// `status --watch`: a line per change, or on a terminal one line that is drawn anew.
///
/// The player is not asked: the position follows from the last report and the clock, so that watching wakes
/// nobody.
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
        message = try connection.next(waitingAtMost: moves ? untilNextSecond(report) : -1)
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
      let columns = Terminal.windowSize(StandardStreams.output)?.columns ?? 80
      try StandardOutput.write("\r\(ProgressLine.text(report, at: now, columns: columns))\u{1B}[K")
    } else {
      try StandardOutput.write(
        (json ? StatusText.json(report, at: now) : StatusText.line(report, at: now)) + "\n")
    }
  }

  /// Milliseconds until the shown second changes.
  private func untilNextSecond(_ report: StatusReport) -> Int32 {
    let position = report.position(at: Clock.boottime())
    return max(20, Int32(saturating: ((position.rounded(.down) + 1 - position) * 1000).rounded(.up)))
  }
}
