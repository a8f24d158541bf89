import ArgumentParser
import LullSystem
import LullWire

struct WakesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "wakes",
    abstract: "Show what has woken a program, and how often (to wake it: wake).",
    discussion: """
      The wakes of the journal are summed up by their reason and, where bytes came, by their sender or the \
      line. WAITED: how long the longest waited for the program to run. Without a terminal nothing is cut.

      Example: lull wakes phone --since yesterday
      """)

  @OptionGroup var program: ProgramArgument
  @OptionGroup var start: SinceOption
  @OptionGroup var json: JSONOption

  func run() throws(Failure) {
    let entries = try Journal.entries(start.log(last: Int(Int32.max), of: program.name))
    let report = WakesReport(name: program.name, entries)
    try Output.write(
      json.isJSON ? JSONOutput.text(report) : WakesText.text(report, .wholeOfStandardOutput()))
  }
}

enum WakesText {
  static func text(_ report: WakesReport, _ style: Style) -> String {
    let name = Printable.text(report.name)
    guard !report.wakes.isEmpty else {
      return Prose.wrapped("The journal has no wake of \(name).\n", columns: style.proseColumns)
    }
    var table = Table([
      .init(title: "REASON"), .init(title: "BY", place: .cutLast(rank: 1, least: 16)),
      .init(title: "COUNT", alignment: .right),
      .init(title: "SHARE", alignment: .right), .init(title: "WAITED", alignment: .right),
      .init(title: "LAST"),
    ])
    for wake in report.wakes {
      table.add([
        .init(wake.reason, .bold), .init(wake.by ?? ""), .init(String(wake.count)),
        .init("\(wake.count * 100 / report.count) %"),
        .init(wake.longestWaitMicroseconds.map(DurationText.text(microseconds:)) ?? ""),
        .init(String(LocalTime(unix: wake.last).description.dropFirst(5).prefix(11))),
      ])
    }
    let since = report.since.map { " since \(LocalTime(unix: $0).description.prefix(16))" } ?? ""
    return table.text(style) + "\(report.count) \(report.count == 1 ? "wake" : "wakes")\(since)\n"
  }
}
