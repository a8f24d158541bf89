import LullSystem
import LullWire

/// Programs that have ended, for people.
enum EndedText {
  /// The table below the others; empty without ended programs.
  static func table(_ ended: [EndedReport], _ style: Style) -> String {
    guard !ended.isEmpty else { return "" }
    var table = Table([
      .init(title: "ENDED"), .init(title: "AT", place: .rank(2)),
      .init(title: "HOW", place: .cut(rank: 1, least: 8)),
    ])
    for program in ended {
      table.add([.init(program.name, .bold), .init(moment(program)), .init(how(program))])
    }
    return "\n" + table.text(style)
  }

  /// For example `phone ended at 2026-01-02 10:11:12: exit status 0`, with a LF.
  static func text(_ program: EndedReport, _ style: Style) -> String {
    let verb = program.hasLeft ? "left" : "ended"
    let sentence = "\(Printable.text(program.name)) \(verb) at \(moment(program)): \(how(program))\n"
    return Prose.wrapped(sentence, columns: style.proseColumns)
  }

  private static func moment(_ program: EndedReport) -> String {
    String(LocalTime(unix: program.at).description.prefix { $0 != "." })
  }

  private static func how(_ program: EndedReport) -> String {
    if program.hasLeft { return "goes on without Lull" }
    if let signal = program.signal {
      return "signal \(Int32(exactly: signal).map(Signal.name(of:)) ?? String(signal))"
    }
    return program.status.map { "exit status \($0)" } ?? "exit status unknown"
  }
}
