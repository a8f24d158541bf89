enum Prose {
  /// Each line has at most `columns` characters. The lines that go on are indented as their first one, and by
  /// `hanging` more. A word that is longer than a line stays whole.
  static func wrapped(_ text: String, columns: Int?, hanging: Int = 2) -> String {
    guard let columns, columns > 0 else { return text }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.map { broken($0, columns: columns, hanging: hanging) }.joined(separator: "\n")
  }

  private static func broken(_ line: Substring, columns: Int, hanging: Int) -> String {
    guard width(line) > columns else { return String(line) }
    let start = line.prefix { $0 == " " }.count
    // A deep indent would leave a narrow column.
    let indent = String(repeating: " ", count: start + hanging <= columns / 2 ? start + hanging : 2)
    var lines: [String] = []
    var current = String(line.prefix(start))
    var isEmpty = true
    for word in line.dropFirst(start).split(separator: " ", omittingEmptySubsequences: false) {
      if !isEmpty, width(current[...]) + 1 + width(word) > columns {
        while current.last == " " { current.removeLast() }
        lines.append(current)
        (current, isEmpty) = (indent, true)
      }
      if isEmpty, word.isEmpty, !lines.isEmpty { continue }
      current += (isEmpty ? "" : " ") + word
      isEmpty = false
    }
    return (lines + [current]).joined(separator: "\n")
  }

  /// The characters that are seen: without the codes of colours.
  static func width(_ text: Substring) -> Int {
    guard text.utf8.contains(0x1B) else { return text.count }
    var (count, isCode) = (0, false)
    for character in text {
      if character == "\u{1B}" { isCode = true }
      if !isCode { count += 1 }
      if character == "m" { isCode = false }
    }
    return count
  }
}
