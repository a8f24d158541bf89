import LullSystem

/// What docs/PROTOCOL.md says, in entries that can be compared with what is said on the wire.
struct ProtocolPage {
  /// One thing that the page has: a request, a field, a notice, a list of words.
  struct Entry {
    /// Such as `request register launch`, `item line peer` or `code`.
    let key: String
    /// The words that the value may be; empty: any value.
    var words: [String] = []
    /// True when the value may also be something else than one of the words.
    var isOpen = true
    /// The line of the page.
    let line: Int
  }

  /// A row of the table of bounds.
  struct Bound {
    let field: String
    /// The only request that they are for.
    let request: String?
    let least: String
    let greatest: String
    let line: Int
  }

  private(set) var entries: [Entry] = []
  private(set) var bounds: [Bound] = []
  /// The requests, in the order of the page.
  private(set) var verbs: [String] = []

  /// The folder of the project.
  static var root: String { #filePath.split(separator: "/").dropLast(4).reduce("") { "\($0)/\($1)" } }

  init() throws {
    for name in ["PROTOCOL.md", "PROTOCOL-SOUND.md"] {
      let text = String(
        decoding: try Files.read("\(Self.root)/docs/\(name)", limit: 1 << 20), as: UTF8.self)
      read(text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
    }
  }

  /// The entry of a key.
  subscript(key: String) -> Entry? { entries.first { $0.key == key } }

  private mutating func read(_ lines: [String]) {
    var header: [String]?
    var paragraph = (text: "", line: 0)
    for (index, line) in lines.enumerated() {
      let cells = Self.cells(of: line)
      if cells.isEmpty { header = nil }
      if let columns = header {
        if !cells[0].hasPrefix("---") { readRow(cells, columns: columns, line: index + 1) }
      } else if !cells.isEmpty {
        header = cells
      }
      for span in Self.spans(in: line) where span.hasPrefix("event ") { add(notice: span, index + 1) }
      if line.isEmpty || paragraph.text.isEmpty {
        readParagraph(paragraph.text, paragraph.line)
        paragraph = (line, index + 1)
      } else if line.hasPrefix("    item ") {
        readParagraph(paragraph.text, paragraph.line)
        paragraph = (line, index + 1)
      } else {
        paragraph.text += " " + line
      }
    }
    readParagraph(paragraph.text, paragraph.line)
  }

  private mutating func readRow(_ cells: [String], columns: [String], line: Int) {
    switch columns.first {
    case "request":
      let verbs = Self.spans(in: cells[0])
      let column = columns.firstIndex(of: "fields")
      for verb in verbs {
        self.verbs.append(verb)
        add(Entry(key: "request \(verb)", line: line))
        for field in WrittenField.fields(of: column.map { cells[$0] } ?? "") {
          add(field.entry(of: "request \(verb)", line))
        }
        readReply(cells.last ?? "", of: verb, line)
      }
    case "code", "refused":
      let key = columns[0] == "code" ? "code" : "refusal"
      add(Entry(key: key, words: Self.spans(in: cells[0]), isOpen: false, line: line))
    case "field" where columns.count == 3:
      let (fields, request) = Self.owned(cells[0])
      for field in fields {
        bounds.append(Bound(field: field, request: request, least: cells[1], greatest: cells[2], line: line))
      }
    default: break
    }
  }

  /// `ok` with fields, and the kinds of items.
  private mutating func readReply(_ cell: String, of verb: String, _ line: Int) {
    var isDone = false
    for span in Self.spans(in: cell.replacing(/\([^)]*\)/, with: "")) {
      if span == "ok" || span.hasPrefix("ok ") {
        isDone = true
        for field in WrittenField.all(in: span.dropFirst(2)) { add(field.entry(of: "reply \(verb)", line)) }
      } else if cell.hasPrefix("item"), !isDone {
        let kind = span.split(separator: "=").last.map(String.init) ?? span
        add(Entry(key: "answer \(verb) \(kind)", line: line))
      }
    }
  }

  private mutating func add(notice span: String, _ line: Int) {
    let words = span.split(separator: " ", maxSplits: 2).map(String.init)
    // Fields that are those of an item are written as dots.
    guard words.count > 1, words.last != "..." else { return }
    add(Entry(key: "notice \(words[1])", line: line))
    for field in WrittenField.all(in: words.dropFirst(2).joined()[...]) {
      add(field.entry(of: "notice \(words[1])", line))
    }
  }

  /// A list of words, or an item with its fields.
  private mutating func readParagraph(_ text: String, _ line: Int) {
    if text.hasPrefix("    item kind=") {
      let words = text.split(separator: " ")
      let kind = words[1].split(separator: "=").last.map(String.init) ?? ""
      add(Entry(key: "item \(kind)", line: line))
      for field in WrittenField.all(in: words.dropFirst(2).joined(separator: " ")[...]) {
        add(field.entry(of: "item \(kind)", line))
      }
    }
    let lists = [
      "Wake reasons": "wake reason", "Leases": "lease", "States": "state", "Delegate messages": "message",
    ]
    guard let title = text.split(separator: ":").first, let key = lists[String(title)] else { return }
    let words = Self.spans(in: text.replacing(/\([^)]*\)/, with: ""))
    add(Entry(key: key, words: words, isOpen: false, line: line))
  }

  /// Adds an entry; words of an entry that is there already are added to it.
  private mutating func add(_ entry: Entry) {
    guard let index = entries.firstIndex(where: { $0.key == entry.key }) else { return entries.append(entry) }
    entries[index].words += entry.words.filter { !entries[index].words.contains($0) }
  }

  /// The cells of a row; a bar within a cell has a backslash before it.
  private static func cells(of line: String) -> [String] {
    guard line.hasPrefix("|") else { return [] }
    return line.replacing("\\|", with: "\u{0}").split(separator: "|")
      .map { trimmed($0.replacing("\u{0}", with: "|")) }
  }

  static func trimmed(_ text: some StringProtocol) -> String {
    String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }

  /// The fields of a cell, and their request in `field` of `request`.
  private static func owned(_ cell: String) -> ([String], String?) {
    let spans = spans(in: cell)
    return cell.contains("` of `") ? (spans.dropLast(), spans.last) : (spans, nil)
  }

  /// The texts between backquotes.
  static func spans(in text: String) -> [String] { text.matches(of: /`([^`]+)`/).map { String($0.1) } }
}
