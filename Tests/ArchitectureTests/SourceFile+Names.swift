extension SourceFile {
  /// A type that is declared or extended at the outermost level.
  struct Declaration {
    let name: String
    let isExtension: Bool
    /// The name of a nested type that is extended, else the same as `name`.
    let inner: String
    /// The names that the type declares in its first level and not only for its own file.
    var members: Set<String> = []
  }

  private static let types: Set = ["struct", "class", "enum", "protocol", "typealias"]
  private static let kinds: Set = [
    "func", "var", "let", "case", "init", "subscript", "struct", "class", "enum",
  ]
  private static let hidden: Set = ["private", "fileprivate"]

  /// The declarations of the file, without private ones, which no other file can name.
  var declarations: [Declaration] {
    var found: [Declaration] = []
    for line in lines {
      let indent = line.prefix { $0 == " " }.count
      guard indent == 0 || indent == 2 else { continue }
      let words = line.utf8.split { !Self.isPartOfName($0) }.prefix(12).map { String(Substring($0)) }
      guard Self.hidden.isDisjoint(with: words.prefix(2)), !line.dropFirst(indent).hasPrefix("//"),
        !words.prefix(3).contains("import")
      else { continue }
      if indent == 0, let kind = words.firstIndex(where: { $0 == "extension" || Self.types.contains($0) }) {
        let rest = words.dropFirst(kind + 1)
        guard let name = rest.first else { continue }
        let inner = line.contains("\(name).") ? rest.dropFirst().first : nil
        found.append(
          Declaration(name: name, isExtension: words[kind] == "extension", inner: inner ?? name))
      } else if indent == 2, let kind = words.firstIndex(where: Self.kinds.contains), !found.isEmpty {
        // A file knows an initializer when it calls it.
        let name =
          words[kind] == "init" ? "\(found[found.count - 1].inner)(" : words.dropFirst(kind + 1).first
        if let name { found[found.count - 1].members.insert(name) }
      }
    }
    return found
  }

  /// The names in the code, outside of comments and of texts into which nothing is interpolated. A name that
  /// is called stands here also with `(` at its end.
  var names: Set<String> {
    var names: Set<String> = []
    for line in code {
      let quoted = line.split(separator: "\"", omittingEmptySubsequences: false)
      for (index, piece) in quoted.enumerated() where index % 2 == 0 || piece.contains("\\(") {
        for word in piece.utf8.split(whereSeparator: { !Self.isPartOfName($0) }) {
          let isCalled = word.endIndex < piece.endIndex && piece.utf8[word.endIndex] == UInt8(ascii: "(")
          names.insert(String(Substring(word)))
          if isCalled { names.insert("\(Substring(word))(") }
        }
      }
    }
    return names
  }

  /// The functions that the code calls without a value before them: those of its own type, or of none.
  var calls: Set<String> {
    var calls: Set<String> = []
    for line in code {
      let text = line.utf8
      var start = text.startIndex
      while let first = text[start...].firstIndex(where: Self.isPartOfName) {
        let end = text[first...].firstIndex { !Self.isPartOfName($0) } ?? text.endIndex
        let isMember = first > text.startIndex && text[text.index(before: first)] == UInt8(ascii: ".")
        let isCalled = end < text.endIndex && text[end] == UInt8(ascii: "(")
        if isCalled, !isMember { calls.insert(String(line[first..<end])) }
        start = end
      }
    }
    return calls
  }

  private static func isPartOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
