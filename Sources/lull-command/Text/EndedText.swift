import LullModel
import LullSystem
import LullWire

enum EndedText {
  static func table(_ ended: [EndedItem], _ style: Style) -> String {
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

  static func keptTable(_ lines: [LineItem], _ style: Style) -> String {
    guard !lines.isEmpty else { return "" }
    var table = Table([
      .init(title: "KEPT FOR"), .init(title: "KIND", place: .rank(3)),
      .init(title: "LOCAL", place: .cutLast(rank: 2, least: 9)),
      .init(title: "PEER", place: .cutLast(rank: 1, least: 9)), .init(title: "SINCE", place: .rank(4)),
    ])
    for line in lines {
      let since = line.since.map { String(LocalTime(unix: $0).description.prefix { $0 != "." }) } ?? ""
      table.add([
        .init(line.program, .bold), .init(line.kind), .init(line.local), .init(line.peer), .init(since),
      ])
    }
    return "\n" + table.text(style)
  }

  /// For example `phone: crashed (SIGSEGV) at 2026-01-02 10:11:12`, with a LF.
  static func text(_ program: EndedItem, _ style: Style) -> String {
    let sentence = "\(Printable.text(program.name)): \(how(program)) at \(moment(program))\n"
    return Prose.wrapped(sentence, columns: style.proseColumns)
  }

  private static func moment(_ program: EndedItem) -> String {
    String(LocalTime(unix: program.at).description.prefix { $0 != "." })
  }

  /// For example `crashed (SIGSEGV)`; whoever has `asked` for the end does not have to be told why it came.
  static func how(_ program: EndedItem, asked: String? = nil) -> String {
    guard !program.hasLeft else { return "left (goes on without Lull)" }
    return EndWords.text(program.reason == asked ? nil : program.reason, program.exitStatus.knownWords)
  }
}
