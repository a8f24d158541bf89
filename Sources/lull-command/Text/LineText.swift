import LullSystem
import LullWire

enum LineText {
  /// A program with more lines than this is summed up.
  static let most = 64

  /// For example `udp 127.0.0.1:5060`, or `epoll 5` for a set.
  static func name(_ line: LineItem) -> String {
    guard line.isSet else { return "\(line.kind) \(line.local)" }
    return line.fd.map { "epoll \($0)" } ?? "epoll"
  }

  static func connections(_ count: Int64) -> String {
    count == 1 ? "1 connection" : "\(grouped(count)) connections"
  }

  /// For example `1,000 connections: 998 tcp, 1 tcp-listen, 1 udp`; for a set alone
  /// `epoll 5: 1,000 connections`.
  static func sum(_ lines: [LineItem]) -> String {
    if lines.count == 1, lines[0].isSet { return "\(name(lines[0])): \(connections(count(lines)))" }
    let kinds = Dictionary(grouping: lines.filter { !$0.isSet }, by: \.kind).mapValues(\.count)
    let sorted = kinds.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    let sets = lines.filter(\.isSet).map { "\(grouped($0.connections ?? 0)) in \(name($0))" }
    let parts = sorted.map { "\(grouped(Int64($0.value))) \($0.key)" } + sets
    return "\(connections(count(lines))): \(parts.joined(separator: ", "))"
  }

  /// The last column of `lull lines`.
  static func note(_ line: LineItem) -> String {
    if line.isDisregarded { return "disregarded" }
    guard line.isKept else { return "" }
    return line.since.map { "kept since \(LocalTime(unix: $0).description.prefix { $0 != "." })" } ?? "kept"
  }

  /// The cell of `lull status`: the number of lines while they are few.
  static func cell(_ lines: [LineItem]) -> String {
    lines.count > most || lines.contains(where: \.isSet) ? sum(lines) : String(lines.count)
  }

  /// The number of connections, where there is little room.
  static func short(_ lines: [LineItem]) -> String { grouped(count(lines)) }

  private static func count(_ lines: [LineItem]) -> Int64 {
    lines.reduce(0) { $0 + ($1.isSet ? $1.connections ?? 0 : 1) }
  }

  /// A whole number that is not negative, with a comma between thousands.
  private static func grouped(_ number: Int64) -> String {
    guard number >= 1000 else { return String(number) }
    let rest = String(number % 1000)
    return grouped(number / 1000) + "," + String(repeating: "0", count: 3 - rest.count) + rest
  }
}
