import LullSystem
import TestSupport

/// A play of Tests/Plays: what is said to a daemon, and what it must answer. Tests/Plays/README.md describes
/// the words.
struct Play {
  /// One line, as words for the stage hand.
  struct Line {
    let text: String
    let number: Int
  }

  let file: String
  let name: String
  private(set) var lines: [Line] = []
  /// The programs that the play starts, by their names.
  private(set) var texts: [String: String] = [:]

  /// True when it can be performed only where the memory of sleepers has a place.
  var needsSwap: Bool {
    let words = lines.first?.text.split(separator: " ") ?? []
    return words.first == "stage" && words.contains("swap")
  }

  /// The plays of every file.
  static func all() throws -> [Play] {
    let folder = "\(ProtocolPage.root)/Tests/Plays"
    let names = try Files.entries(of: Array(folder.utf8)).map { String(decoding: $0.name, as: UTF8.self) }
    return try names.filter { $0.hasSuffix(".play") }.sorted().flatMap { name in
      let text = String(decoding: try Files.read("\(folder)/\(name)", limit: 1 << 20), as: UTF8.self)
      return plays(of: text, file: name)
    }
  }

  private static func plays(of text: String, file: String) -> [Play] {
    var plays: [Play] = []
    var script: (name: String, lines: [Substring])?
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let trimmed = ProtocolPage.trimmed(line)
      if let (name, lines) = script, trimmed == "end" {
        plays[plays.count - 1].texts[name] = Self.unindented(lines)
        script = nil
      } else if script != nil {
        script?.lines.append(line)
      } else if trimmed.hasPrefix("play ") {
        plays.append(Play(file: file, name: String(trimmed.dropFirst(5))))
      } else if trimmed.hasPrefix("text ") {
        script = (String(trimmed.dropFirst(5)), [])
      } else if !trimmed.isEmpty, !trimmed.hasPrefix("#"), !plays.isEmpty {
        plays[plays.count - 1].add(Line(text: trimmed, number: index + 1))
      }
    }
    return plays
  }

  private init(file: String, name: String) { (self.file, self.name) = (file, name) }

  /// A line that ends with a backslash goes on with the next one.
  private mutating func add(_ line: Line) {
    guard let last = lines.last, last.text.hasSuffix("\\") else { return lines.append(line) }
    lines[lines.count - 1] = Line(text: last.text.dropLast() + line.text, number: last.number)
  }

  private static func unindented(_ lines: [Substring]) -> String {
    let margin = lines.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
    return lines.map { $0.dropFirst(margin) }.joined(separator: "\n") + "\n"
  }
}
