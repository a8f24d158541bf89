import TestSupport
import Testing

/// docs/SECURITY.md and the code say the same.
@Suite(.bounded) struct SecurityTests {
  /// A row of the table of limits.
  private struct Limit {
    let number: String
    let type: String
    let name: String
  }

  private static func limits() throws -> [Limit] {
    try Tree.file("docs/SECURITY.md").lines.compactMap { line in
      let row = /\| ([0-9,]+(?: [A-Za-z]+)?) \| `(\w+)\.(\w+)` \|$/
      guard let match = line.firstMatch(of: row) else { return nil }
      return Limit(number: String(match.1), type: String(match.2), name: String(match.3))
    }
  }

  @Test func `every limit that SECURITY names stands so in the code`() throws {
    let limits = try Self.limits()
    #expect(limits.count > 25)
    let sources = try Tree.files(under: "Sources").filter { $0.path.hasSuffix(".swift") }
    for limit in limits {
      let declared = sources.filter { $0.text.contains(limit.name) && declares(limit.type, $0) }
        .compactMap { value(of: limit.name, in: $0) }
      #expect(declared == [number(limit.number)], "\(limit.type).\(limit.name) is not \(limit.number)")
    }
  }

  @Test func `README leads to SECURITY`() throws {
    #expect(try Tree.file("README.md").text.contains("docs/SECURITY.md"))
  }

  @Test(arguments: ["PcmLull", "liblull"])
  func `what others load takes nothing from the environment of a program with special rights`(
    folder: String
  ) throws {
    let files = try Tree.files(under: "Sources/\(folder)").filter { $0.path.hasSuffix(".c") }
    #expect(files.contains { $0.text.contains("secure_getenv(") })
    for file in files {
      for line in file.code {
        #expect(!line.contains(/\bgetenv\(/), "\(file.path): \(line)")
      }
    }
  }

  private func declares(_ type: String, _ file: SourceFile) -> Bool {
    file.code.contains { line in
      ["struct", "class", "enum", "extension"].contains { kind in
        line.contains("\(kind) \(type) ") || line.contains("\(kind) \(type):")
      }
    }
  }

  /// The number that a constant is declared with, such as `= 1 << 20` or `{ 4 }`, of seconds in nanoseconds.
  private func value(of name: String, in file: SourceFile) -> Int64? {
    let declaration =
      /\b(?:let|var) (\w+)(?:: \w+)? (?:= |\{ )(Interval\.seconds\()?([0-9_]+)(?: << ([0-9]+))?(?:\)| \})?$/
    for line in file.code where line.contains(name) {
      guard let match = line.firstMatch(of: declaration), match.1 == name[...],
        let value = Int64(match.3.filter { $0 != "_" })
      else { continue }
      let shifted = value << (match.4.flatMap { Int64($0) } ?? 0)
      return match.2 == nil ? shifted : shifted * 1_000_000_000
    }
    return nil
  }

  private func number(_ text: String) -> Int64? {
    let words = text.split(separator: " ")
    guard let value = Int64(words[0].filter { $0 != "," }) else { return nil }
    switch words.dropFirst().first {
    case nil: return value
    case "MiB": return value << 20
    case "s": return value * 1_000_000_000
    default: return nil
    }
  }
}
