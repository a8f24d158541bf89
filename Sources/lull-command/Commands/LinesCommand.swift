import ArgumentParser
import LullWire

/// `lull lines [NAME] [--json]`.
struct LinesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lines",
    abstract: "Show the connections that are watched for sleeping programs.",
    discussion: """
      UNREAD: bytes that wait in the kernel. ANSWERED: pings that the daemon answered in the program's place. \
      PID/FD: which process of the program holds it, and its number there. NOTE disregarded: it has long \
      been readable and the program does not read it, so only what is new there wakes the program.

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
    let hasHolders = lines.contains { $0.pid != nil }
    let hasNotes = lines.contains(where: \.isDisregarded)
    var columns: [Table.Column] = [
      .init(title: "LINE", alignment: .right), .init(title: "PROGRAM"), .init(title: "KIND"),
      .init(title: "LOCAL"), .init(title: "PEER"), .init(title: "UNREAD", alignment: .right),
      .init(title: "OFFLOAD"), .init(title: "ANSWERED", alignment: .right),
    ]
    if hasHolders { columns.append(.init(title: "PID/FD")) }
    if hasNotes { columns.append(.init(title: "NOTE")) }
    var table = Table(columns)
    for line in lines {
      var row: [Table.Cell] = [
        .init(String(line.id)), .init(line.program, .bold), .init(line.kind), .init(line.local),
        .init(line.peer), .init(line.unread.map { String($0) } ?? ""),
        .init(line.offload?.joined(separator: ",") ?? ""),
        .init(line.answered.map { String($0) } ?? ""),
      ]
      if hasHolders { row.append(.init(holder(line))) }
      if hasNotes { row.append(.init(line.isDisregarded ? "disregarded" : "")) }
      table.add(row)
    }
    return table.text(style)
  }

  private static func holder(_ line: LineReport) -> String {
    guard let pid = line.pid else { return "" }
    return line.fd.map { "\(pid)/\($0)" } ?? String(pid)
  }
}
