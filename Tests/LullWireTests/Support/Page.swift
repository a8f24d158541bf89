import Foundation

@testable import LullWire

/// A page of docs that lists the requests, fields or words of the code.
struct Page {
  static let `protocol` = Page(names: ["PROTOCOL.md", "PROTOCOL-SOUND.md", "PROTOCOL-WORDS.md"])

  let names: [String]

  func text() throws -> String {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../docs")
    return try names.map { try String(contentsOf: folder.appending(path: $0), encoding: .utf8) }
      .joined(separator: "\n")
  }

  /// The rows of the tables that list requests: the verbs, and the cell of their fields.
  func requests() throws -> [(verbs: [String], fields: String)] {
    var rows: [(verbs: [String], fields: String)] = []
    var header: [String]?
    for line in try text().split(separator: "\n", omittingEmptySubsequences: false) {
      guard line.hasPrefix("|") else {
        header = nil
        continue
      }
      // A bar within a cell has a backslash before it.
      let cells = line.replacing("\\|", with: "\u{0}").split(separator: "|")
        .map { $0.replacing("\u{0}", with: "|").trimmingCharacters(in: .whitespaces) }
      guard let columns = header else {
        header = cells
        continue
      }
      guard columns.first == "request", !cells[0].hasPrefix("---") else { continue }
      let fields = columns.firstIndex(of: "fields").map { cells[$0] } ?? ""
      rows.append((cells[0].matches(of: /`([a-z-]+)`/).map { String($0.1) }, fields))
    }
    return rows
  }
}

extension Page {
  /// The fields of an item, which stand in a line `item kind=KIND ...` and the lines that go on with it.
  func item(_ kind: ItemKind) throws -> [WrittenField] {
    let lines = try text().split(separator: "\n", omittingEmptySubsequences: false)
    let first = "    item kind=\(kind.rawValue) "
    guard let start = lines.firstIndex(where: { $0.hasPrefix(first) }) else { return [] }
    let more = lines[(start + 1)...].prefix { $0.hasPrefix("        ") }
    return ([lines[start].dropFirst(first.count)] + more).flatMap { $0.split(separator: " ") }
      .compactMap { word in
        guard let match = word.wholeMatch(of: /(\[?)([A-Za-z]+)(?:=(.*?))?\]?/) else { return nil }
        return WrittenField(
          key: String(match.2), value: match.3.map(String.init), isNeeded: match.1.isEmpty)
      }
  }
}

/// A field as a cell of a page writes it: `key`, `key=VALUE`, and in brackets when it may be missing.
struct WrittenField: Equatable {
  var key: String
  var value: String?
  var isNeeded: Bool

  /// The fields of a cell. Text in parentheses is an explanation; `a` or `b`: one of the two.
  static func all(in cell: String) -> [WrittenField] {
    let plain = cell.replacing(/\([^)]*\)/, with: "")
    let parts = plain.split(separator: "`", omittingEmptySubsequences: false).map(String.init)
    return stride(from: 1, to: parts.count, by: 2).compactMap { index in
      guard let match = parts[index].wholeMatch(of: /(\[?)([A-Za-z]+)(?:=(.*?))?\]?/) else { return nil }
      let isChoice = parts[index - 1] == " or " || parts[index + 1] == " or "
      return WrittenField(
        key: String(match.2), value: match.3.map(String.init), isNeeded: match.1.isEmpty && !isChoice)
    }
  }
}
