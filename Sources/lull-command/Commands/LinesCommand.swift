import ArgumentParser
import LullWire

/// `lull lines [NAME] [--all] [--json]`.
struct LinesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lines",
    abstract: "Show the connections that are watched for sleeping programs, or kept for ended ones.",
    discussion: """
      UNREAD: bytes that wait in the kernel. ANSWERED: pings that the daemon answered in the program's \
      place. PID/FD: which process of the program holds it, and its number there. NOTE disregarded: it has \
      long been readable and the program does not read it, so only what is new there wakes the program. \
      NOTE kept: the program has ended, and is launched for what comes there.

      A program that waits with epoll has one line for all connections of its set. A program with more than \
      64 lines is summed up. --all lists every connection of both.

      Example: lull lines phone
      """)

  @OptionGroup var program: OptionalProgramArgument
  @Flag(help: "List every connection, however many there are.") var all = false
  @OptionGroup var json: JSONOption

  func run() throws(Failure) {
    let lines = try Daemon.ask(.lines(name: program.name, all: all)) { (items) throws(WireError) in
      try items.read(.line, LineReport.init)
    }
    guard !json.isJSON else { return try Output.write(JSONOutput.text(lines)) }
    try Output.write(LinesText.text(lines, listingAll: all, .ofStandardOutput()))
  }
}

/// `lull lines` for people.
enum LinesText {
  static func text(_ lines: [LineReport], listingAll: Bool = false, _ style: Style) -> String {
    guard !lines.isEmpty else { return "No lines are held.\n" }
    guard !listingAll else { return list(lines, style) }
    var programs: [[LineReport]] = []
    // In the daemon's answer the lines of a program stand together.
    for line in lines {
      if programs.last?.first?.program == line.program {
        programs[programs.count - 1].append(line)
      } else {
        programs.append([line])
      }
    }
    let listed = programs.filter { $0.count <= LineText.most }
    let summed = programs.filter { $0.count > LineText.most }
    let list = listed.isEmpty ? "" : list(Array(listed.joined()), style)
    return list + (list.isEmpty || summed.isEmpty ? "" : "\n") + sums(summed, style)
  }

  private static func sums(_ programs: [[LineReport]], _ style: Style) -> String {
    guard !programs.isEmpty else { return "" }
    var table = Table([
      .init(title: "PROGRAM"), .init(title: "LINES", place: .cut(rank: 1, least: 12)),
    ])
    for lines in programs { table.add([.init(lines[0].program, .bold), .init(LineText.sum(lines))]) }
    return table.text(style) + "\"lull lines NAME --all\" lists them.\n"
  }

  private static func list(_ lines: [LineReport], _ style: Style) -> String {
    let hasHolders = lines.contains { $0.pid != nil }
    let hasNotes = lines.contains { $0.isDisregarded || $0.kept == true }
    var columns: [Table.Column] = [
      .init(title: "LINE", alignment: .right), .init(title: "PROGRAM"),
      .init(title: "KIND", place: .rank(3)), .init(title: "LOCAL", place: .cut(rank: 2, least: 9)),
      .init(title: "PEER", place: .cut(rank: 1, least: 9)),
      .init(title: "UNREAD", alignment: .right, place: .rank(5)),
      .init(title: "OFFLOAD", place: .rank(7)),
      .init(title: "ANSWERED", alignment: .right, place: .rank(8)),
    ]
    if hasHolders { columns.append(.init(title: "PID/FD", place: .rank(6))) }
    if hasNotes { columns.append(.init(title: "NOTE", place: .rank(4))) }
    var table = Table(columns)
    for line in lines {
      var row: [Table.Cell] = [
        .init(String(line.id)), .init(line.program, .bold), .init(line.kind),
        .init(line.isSet ? LineText.name(line) : line.local),
        .init(line.connections.map(LineText.connections) ?? line.peer),
        .init(line.unread.map { String($0) } ?? ""),
        .init(line.offload?.joined(separator: ",") ?? ""),
        .init(line.answered.map { String($0) } ?? ""),
      ]
      if hasHolders { row.append(.init(holder(line))) }
      if hasNotes { row.append(.init(LineText.note(line))) }
      table.add(row)
    }
    return table.text(style)
  }

  private static func holder(_ line: LineReport) -> String {
    guard let pid = line.pid else { return "" }
    return line.fd.map { "\(pid)/\($0)" } ?? String(pid)
  }
}
