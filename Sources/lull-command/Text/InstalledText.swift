import LullChannel
import LullWire

/// `lull list` for people.
enum InstalledText {
  static func text(_ reports: [InstalledReport], _ style: Style) -> String {
    guard !reports.isEmpty else {
      return "No program is installed; \"lull install NAME -- COMMAND\" installs one.\n"
    }
    var table = Table([
      .init(title: "NAME"), .init(title: "STATE"), .init(title: "NEXT", place: .cut(rank: 1, least: 12)),
      .init(title: "COMMAND", place: .cut(rank: 2, least: 12)),
    ])
    for report in reports {
      table.add([
        .init(report.name, .bold), .init(state(report), colour(report)), .init(next(report)),
        .init(report.command.map(InstalledFile.line) ?? ""),
      ])
    }
    let mistakes = reports.compactMap { $0.mistake.map { Printable.text($0) + "\n" } }.joined()
    return table.text(style) + Prose.wrapped(mistakes, columns: style.proseColumns)
  }

  private static func state(_ report: InstalledReport) -> String {
    report.mistake != nil ? "mistake" : report.state?.rawValue ?? ""
  }

  private static func colour(_ report: InstalledReport) -> Style.Colour? {
    if report.mistake != nil || report.state == .failed { return .red }
    return report.state == .running ? .green : nil
  }

  /// What comes next, or why it is as it is; for example `in 4 s (crash)`.
  static func next(_ report: InstalledReport) -> String {
    let reason = report.reason.map { " (\($0))" } ?? ""
    if let due = report.dueInSeconds { return "in \(DurationText.text(seconds: due))\(reason)" }
    switch report.state {
    case .running, .starting: return report.reason.map { "for \($0)" } ?? ""
    case .waiting: return "in its turn\(reason)"
    case .quit: return "not until \"lull start\""
    case .ended: return "when something comes for it"
    case .failed: return report.text ?? ""
    case nil: return ""
    }
  }
}
