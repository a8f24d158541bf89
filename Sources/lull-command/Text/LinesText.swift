import LullSystem
import LullWire

/// The program, the addresses and what is unread matter most.
enum LinesText {
  static func text(_ lines: [LineItem], listingAll: Bool = false, _ style: Style) -> String {
    guard !lines.isEmpty else { return "No lines are held.\n" }
    guard !listingAll else { return list(lines, style) }
    var programs: [[LineItem]] = []
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

  private static func sums(_ programs: [[LineItem]], _ style: Style) -> String {
    guard !programs.isEmpty else { return "" }
    let table = Table(
      programs,
      [
        .init("PROGRAM") { .init($0[0].program, .bold) },
        .init("LINES", .cut(rank: 1, least: 12)) { .init(LineText.sum($0)) },
      ])
    return table.text(style) + "\"lull lines NAME --all\" lists them.\n"
  }

  private static func list(_ lines: [LineItem], _ style: Style) -> String {
    var parts: [Table.Part<LineItem>] = [
      .init("LINE", .rank(4), aligned: .right) { .init(String($0.id)) },
      .init("PROGRAM") { .init($0.program, .bold) }, .init("KIND", .rank(6)) { .init($0.kind.text) },
    ]
    parts += addresses(lines, style)
    parts += [
      .init("UNREAD", .rank(3), aligned: .right) { .init(unread($0)) },
      .init("OFFLOAD", .rank(8)) { .init($0.offload?.joined(separator: ",")) },
      .init("ANSWERED", .rank(9), aligned: .right) { .init($0.answered.map { String($0) }) },
    ]
    if lines.contains(where: { $0.pid != nil }) {
      parts.append(.init("PID/FD", .rank(7)) { .init(holder($0)) })
    }
    if lines.contains(where: { $0.isDisregarded || $0.isKept }) {
      parts.append(.init("NOTE", .rank(5)) { .init(LineText.note($0), short: $0.isKept ? "kept" : nil) })
    }
    return Table(lines, parts).text(style)
  }

  /// Both addresses, or one where there is no room for both beside what matters as much.
  private static func addresses(_ lines: [LineItem], _ style: Style) -> [Table.Part<LineItem>] {
    func width(_ text: (LineItem) -> String, _ title: String) -> Int {
      lines.reduce(title.count) { max($0, Printable.text(text($1)).count) } + 2
    }
    let needed =
      width(\.program, "PROGRAM") + width(local, "LOCAL") + width(peer, "PEER") + width(unread, "UNREAD") - 2
    guard needed > style.columns ?? needed else {
      return [
        .init("LOCAL", .cutLast(rank: 2, least: 9)) { .init(local($0)) },
        .init("PEER", .cutLast(rank: 1, least: 9)) { .init(peer($0)) },
      ]
    }
    return [.init("ADDRESS", .cutLast(rank: 1, least: 9)) { .init(address($0)) }]
  }

  private static func unread(_ line: LineItem) -> String { line.unread.map { String($0) } ?? "" }

  private static func local(_ line: LineItem) -> String { line.isSet ? LineText.name(line) : line.local }

  private static func peer(_ line: LineItem) -> String {
    line.connections.map(LineText.connections) ?? line.peer
  }

  private static func address(_ line: LineItem) -> String {
    if line.isSet { return LineText.sum([line]) }
    return line.peer.isEmpty ? line.local : line.peer
  }

  private static func holder(_ line: LineItem) -> String {
    guard let pid = line.pid else { return "" }
    return line.fd.map { "\(pid)/\($0)" } ?? String(pid)
  }
}

enum LineText {
  /// A program with more lines than this is summed up.
  static let most = 64

  /// For example `udp 127.0.0.1:5060`, or `epoll 5` for a set.
  static func name(_ line: LineItem) -> String {
    guard line.isSet else { return "\(line.kind.text) \(line.local)" }
    return line.fd.map { "epoll \($0)" } ?? "epoll"
  }

  static func connections(_ count: Int64) -> String {
    count == 1 ? "1 connection" : "\(grouped(count)) connections"
  }

  /// For example `1,000 connections: 998 tcp, 1 tcp-listen, 1 udp`; for a set alone
  /// `epoll 5: 1,000 connections`.
  static func sum(_ lines: [LineItem]) -> String {
    if lines.count == 1, lines[0].isSet { return "\(name(lines[0])): \(connections(count(lines)))" }
    let kinds = Dictionary(grouping: lines.filter { !$0.isSet }, by: \.kind.text).mapValues(\.count)
    let sorted = kinds.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    let sets = lines.filter(\.isSet).map { "\(grouped($0.connections ?? 0)) in \(name($0))" }
    let parts = sorted.map { "\(grouped(Int64($0.value))) \($0.key)" } + sets
    return "\(connections(count(lines))): \(parts.joined(separator: ", "))"
  }

  static func note(_ line: LineItem) -> String {
    if line.isDisregarded { return "disregarded" }
    guard line.isKept else { return "" }
    return line.since.map { "kept since \(LocalTime(unix: $0).withoutFraction)" } ?? "kept"
  }

  /// The cell of `lull status`: the number of lines while they are few.
  static func cell(_ lines: [LineItem]) -> String {
    lines.count > most || lines.contains(where: \.isSet) ? sum(lines) : String(lines.count)
  }

  static func short(_ lines: [LineItem]) -> String { grouped(count(lines)) }

  private static func count(_ lines: [LineItem]) -> Int64 {
    lines.reduce(0) { $0 + ($1.isSet ? $1.connections ?? 0 : 1) }
  }

  private static func grouped(_ number: Int64) -> String {
    guard number >= 1000 else { return String(number) }
    let rest = String(number % 1000)
    return grouped(number / 1000) + "," + String(repeating: "0", count: 3 - rest.count) + rest
  }
}
