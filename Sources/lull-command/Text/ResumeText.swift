import LullModel
import LullWire

enum ResumeText {
  static func text(_ report: ResumeReport, _ style: Style) -> String {
    Prose.wrapped("\(sentence(report))\n", columns: style.proseColumns)
  }

  private static func sentence(_ report: ResumeReport) -> String {
    let next = report.next.map(cause)
    guard report.isPermitted else {
      let missed = next.map { ", also not \($0)" } ?? ""
      return "a suspended machine is not resumed\(missed): give lulld CAP_WAKE_ALARM"
    }
    return next.map { "a suspended machine is resumed \($0)" }
      ?? "nothing is due for which a suspended machine is resumed"
  }

  private static func cause(_ next: ResumeReport.Next) -> String {
    let program = Printable.text(next.program)
    let time = "in \(DurationText.text(seconds: next.dueInSeconds))"
    switch ResumeReason(rawValue: next.reason) {
    case .keepalive: return "\(time) for the keep-alive of \(program)"
    case .timer: return "\(time) for a timer of \(program)"
    case .data: return "\(time) for data that waits for \(program)"
    case .paths: return "\(time) to keep the UDP paths of \(program) open"
    case .notification: return "\(time) for a notification of \(program)"
    case nil: return "\(time) for \(program): \(Printable.text(next.reason))"
    }
  }
}
