/// A field as the page writes it: `key`, `key=`, `key=VALUE` or `key=one|other`, in brackets when it may be
/// missing.
struct WrittenField {
  let key: String
  /// The words that its value may be.
  var words: [String] = []
  /// True when the value may be something else than one of the words.
  var isOpen = true

  init?(_ text: some StringProtocol) {
    let inner = String(text.filter { $0 != "[" && $0 != "]" })
    guard let match = inner.wholeMatch(of: /([A-Za-z]+)(?:=(.*))?/) else { return nil }
    key = String(match.1)
    let parts = match.2?.split(separator: "|") ?? []
    words = parts.filter { $0.wholeMatch(of: /[a-z0-9][A-Za-z0-9-]*/) != nil }.map(String.init)
    isOpen = words.count < parts.count || words.isEmpty
  }

  /// The fields of a line such as `item kind=...`.
  static func all(in text: Substring) -> [WrittenField] {
    text.split(separator: " ").compactMap { .init($0) }
  }

  /// The fields of a cell, where text in parentheses explains: `(of ...)` lists the words of the field before
  /// it.
  static func fields(of cell: String) -> [WrittenField] {
    var fields: [WrittenField] = []
    var depth = 0
    var explanation = ""
    for (index, part) in cell.split(separator: "`", omittingEmptySubsequences: false).enumerated() {
      guard index % 2 == 1 else {
        for character in part {
          if character == "(" { (depth, explanation) = (depth + 1, "") }
          if character == ")" { depth -= 1 }
          explanation.append(character)
        }
        continue
      }
      if depth == 0 {
        if let field = WrittenField(part) { fields.append(field) }
      } else if explanation.hasPrefix("(of ") || explanation.hasPrefix("(list of "),
        var last = fields.popLast()
      {
        last.words.append(String(part))
        last.isOpen = false
        fields.append(last)
      }
    }
    return fields
  }

  func entry(of owner: String, _ line: Int) -> ProtocolPage.Entry {
    .init(key: "\(owner) \(key)", words: words, isOpen: isOpen, line: line)
  }
}
