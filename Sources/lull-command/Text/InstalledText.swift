import LullChannel
import LullWire

enum InstalledText {
  static func text(_ list: InstalledList, _ style: Style) -> String {
    let notes = notes(list).map { Printable.text($0) + "\n" }.joined()
    return table(list.reports, style) + Prose.wrapped(notes, columns: style.proseColumns)
  }

  private static func table(_ reports: [InstalledReport], _ style: Style) -> String {
    guard !reports.isEmpty else {
      return "No program is installed; \"lull install NAME -- COMMAND\" installs one.\n"
    }
    let table = Table(
      reports,
      [
        .init("NAME") { .init($0.name, .bold) }, .init("STATE") { .init(state($0), colour($0)) },
        .init("NEXT", .cut(rank: 1, least: 12)) { .init(next($0)) },
        .init("COMMAND", .cut(rank: 2, least: 12)) { .init($0.command.map(InstalledFile.line)) },
      ])
    return table.text(style)
  }

  private static func notes(_ list: InstalledList) -> [String] {
    var lines = list.reports.compactMap(\.error).flatMap { $0.split(separator: "\n") }.map { String($0) }
    if let line = PassedOverText.line(list.passedOver) { lines.append("passed over: \(line)") }
    return lines
  }

  private static func state(_ report: InstalledReport) -> String {
    let isWrong = report.error != nil && !runs(report)
    return isWrong ? "misconfigured" : report.running?.text ?? report.state?.rawValue ?? ""
  }

  private static func colour(_ report: InstalledReport) -> Style.Colour? {
    if report.error != nil || report.state == .failed { return .red }
    return report.running.flatMap(StatusText.colour)
  }

  private static func runs(_ report: InstalledReport) -> Bool {
    report.state == .running || report.state == .starting
  }

  /// What starts a program next, for example `in 4 s (crash)`; nothing for one that runs.
  static func next(_ report: InstalledReport) -> String {
    let mended = "not before the error is mended"
    guard report.error == nil else { return mended }
    let reason = report.reason.map { " (\($0.text))" } ?? ""
    if let due = report.dueInSeconds { return "in \(DurationText.text(seconds: due))\(reason)" }
    switch report.state {
    case .running, .starting, nil: return ""
    case .waiting: return "in its turn\(reason)"
    case .quit: return "not until \"lull start\"\(report.unwritten.map { "; not on the disk: \($0)" } ?? "")"
    case .ended: return report.starters.map { "for \($0)" } ?? "when lulld starts"
    case .failed: return report.text.map(ExplanationText.sentence) ?? ""
    case .misconfigured: return report.text ?? mended
    }
  }
}

enum PassedOverText {
  private static let most = 8

  /// For example `"bad name" (no program can have this name), x~ (a copy that an editor made)`; nil when
  /// nothing is passed over.
  static func line(_ entries: [InstalledFolder.PassedOver]) -> String? {
    let parts = InstalledFolder.PassedOver.Reason.allCases.compactMap { reason -> String? in
      let names = entries.filter { $0.reason == reason }.map { quoted($0.name) }
      guard !names.isEmpty else { return nil }
      let more = names.count > most ? " and \(names.count - most) more" : ""
      return "\(names.prefix(most).joined(separator: ", "))\(more) (\(text(reason)))"
    }
    return parts.isEmpty ? nil : parts.joined(separator: "; ")
  }

  /// What to do where a name may have been meant for a program; nil for copies alone.
  static func remedy(_ entries: [InstalledFolder.PassedOver], in folder: InstalledFolder) -> String? {
    guard entries.contains(where: { $0.reason != .copy }) else { return nil }
    return "give it a name of letters, digits, '.', '_' and '-', or take it out of \(folder.path)"
  }

  private static func quoted(_ name: String) -> String {
    let text = name.count > 32 ? "\(name.prefix(32))..." : name
    return text.contains(" ") ? "\"\(text)\"" : text
  }

  private static func text(_ reason: InstalledFolder.PassedOver.Reason) -> String {
    switch reason {
    case .name: "no program can have this name"
    case .copy: "copies of an editor or packager"
    case .folder: "a folder"
    }
  }
}
