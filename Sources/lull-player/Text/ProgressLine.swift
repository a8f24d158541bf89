import LullPlayer
import LullSystem
import LullWire

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
