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

  /// The lines that are kept for programs that have ended; empty without any.
  static func keptTable(_ lines: [LineReport], _ style: Style) -> String {
    guard !lines.isEmpty else { return "" }
    var table = Table([
      .init(title: "KEPT FOR"), .init(title: "KIND", place: .rank(3)),
      .init(title: "LOCAL", place: .cut(rank: 2, least: 9)),
      .init(title: "PEER", place: .cut(rank: 1, least: 9)), .init(title: "SINCE", place: .rank(4)),
    ])
    for line in lines {
      let since = line.since.map { String(LocalTime(unix: $0).description.prefix { $0 != "." }) } ?? ""
      table.add([
        .init(line.program, .bold), .init(line.kind), .init(line.local), .init(line.peer), .init(since),
      ])
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
    let status = status(program)
    return switch program.reason {
    case "quit": "quit (\(status))"
    case "crashed": "crashed (\(status))"
    case "terminated": program.signal.map { "ended by \(name(ofSignal: $0))" } ?? status
    case "exited", nil: status
    case "launch-limit": "killed: was not ready in time"
    case "background-limit": "killed: took too long to go into the background"
    case "terminate-limit": "killed: took too long to end"
    case "task-limit": "killed: a background task was still open at the end of its time"
    case "exits-on-suspend": "ended instead of being put to sleep"
    case "purged": "purged: others needed its memory"
    case let other?: "killed: \(Printable.text(other))"
    }
  }

  private static func status(_ program: EndedReport) -> String {
    if let signal = program.signal {
      return "signal \(name(ofSignal: signal))"
    }
    return program.status.map { "exit status \($0)" } ?? "exit status unknown"
  }

  private static func name(ofSignal number: Int64) -> String {
    Int32(exactly: number).map(Signal.name(of:)) ?? String(number)
  }
}
