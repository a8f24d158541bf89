import TestSupport
import Testing

/// No line is wider than 110 columns, so that it is read without moving one's head.
@Suite(.bounded) struct ColumnTests {
  private static let limit = 110

  /// The inputs of the fuzzers, which are no text, and what a program writes.
  private static let foreign = ["Tests/Corpora/", "Tests/Golden/"]

  @Test func `no line has more than 110 columns`() throws {
    for file in try Tree.everything() where !Self.foreign.contains(where: file.path.hasPrefix) {
      for (index, line) in file.lines.enumerated() where isTooWide(line, in: file) {
        Issue.record("\(file.path):\(index + 1) has \(line.count) columns")
      }
    }
  }

  /// A row of a table in a page cannot be broken.
  private func isTooWide(_ line: Substring, in file: SourceFile) -> Bool {
    guard line.utf8.count > Self.limit, line.count > Self.limit else { return false }
    return !(file.path.hasSuffix(".md") && line.hasPrefix("|"))
  }
}
