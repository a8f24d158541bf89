import ArgumentParser
import LullWire

/// `lull lines [NAME] [--json]`.
struct LinesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lines",
    abstract: "Show the connections that are watched for sleeping programs.",
    discussion: """
      UNREAD: bytes that wait in the kernel. ANSWERED: pings that the daemon answered in the program's place.

      Example: lull lines phone
      """)

  @OptionGroup var program: OptionalProgramArgument
  @OptionGroup var json: JSONOption

  func run() throws(Failure) {
    let lines = try Daemon.ask(.lines(name: program.name)) { (items) throws(WireError) in
      try items.read(.line, LineReport.init)
    }
    try Output.write(json.isJSON ? JSON.text(lines) : LinesText.text(lines, .ofStandardOutput()))
  }
}

/// `lull lines` for people.
enum LinesText {
  static func text(_ lines: [LineReport], _ style: Style) -> String {
    guard !lines.isEmpty else { return "No lines are held.\n" }
    var table = Table([
      .init(title: "LINE", alignment: .right), .init(title: "PROGRAM"), .init(title: "KIND"),
      .init(title: "LOCAL"), .init(title: "PEER"), .init(title: "UNREAD", alignment: .right),
      .init(title: "OFFLOAD"), .init(title: "ANSWERED", alignment: .right),
    ])
    for line in lines {
      table.add([
        .init(String(line.id)), .init(line.program, .bold), .init(line.kind), .init(line.local),
        .init(line.peer), .init(line.unread.map { String($0) } ?? ""),
        .init(line.offload?.joined(separator: ",") ?? ""),
        .init(line.answered.map { String($0) } ?? ""),
      ])
    }
    return table.text(style)
  }
}
