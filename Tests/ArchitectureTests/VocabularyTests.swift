import TestSupport
import Testing

/// Words that travel, on the wire or in a ring, are declared once, in the module that all others stand on.
@Suite(.bounded) struct VocabularyTests {
  /// An enum whose cases are words.
  private struct Words {
    let module: Substring
    let name: String
    let words: Set<String>
  }

  @Test func `no set of words stands in two modules`() throws {
    for (one, other) in try pairs() {
      Issue.record("\(label(one)) and \(label(other)) are the same words: \(one.words.sorted())")
    }
  }

  @Test func `what is kept are lines`() throws {
    let types = try Tree.files(under: "Sources").flatMap { file in
      file.declarations.filter { !$0.isExtension && $0.name.contains("Kept") }.map(\.name)
    }
    let lines: Set = ["KeptLine", "KeptLines", "KeptEntry", "KeptEnding", "KeptFeature"]
    #expect(Set(types) == lines)
  }

  /// The house's own words, for which the field has terms.
  private static let gone: Set = [
    "remark", "mistake", "mistaken", "former", "board", "desk", "door", "heir", "standing", "chore",
    "reception",
  ]

  /// Type names of two modules. Those of an executable are its own, as each has its `Entry`; the others are
  /// two ends of one thing, or the same thing for modules that do not know each other. The list only gets
  /// shorter.
  private static let shared: Set = [
    "AudioSession", "ByteReader", "Daemon", "DaemonCommand", "Entry", "Failure", "Hearing", "ListCommand",
    "QuitCommand", "RemoveCommand", "StatusCommand", "StatusReport", "StatusText", "StopCommand",
  ]

  @Test func `a type name stands in one module`() throws {
    var modules: [String: Set<Substring>] = [:]
    for file in try Tree.files(under: "Sources") where file.path.hasSuffix(".swift") {
      for type in file.declarations where !type.isExtension {
        modules[type.name, default: []].insert(module(file))
      }
    }
    #expect(modules.count > 500)
    let found = modules.filter { $0.value.count > 1 }
    for (name, places) in found where !Self.shared.contains(name) {
      Issue.record("\(name) stands in \(places.sorted())")
    }
    for name in Self.shared where found[name] == nil { Issue.record("\(name) has left the list") }
  }

  @Test func `a nested enum of states is called State`() throws {
    for file in try Tree.files(under: "Sources") where file.path.hasSuffix(".swift") {
      for line in file.code where line.contains(/\benum (Life|Phase|Stage)\b/) {
        Issue.record("\(file.path): \(line)")
      }
    }
  }

  @Test func `only lull installs`() throws {
    let files = try ["Sources/LullEngine", "Sources/LullDaemon"].flatMap(Tree.files(under:))
    for file in files {
      for line in file.code where line.contains(/(func |case |\.)install\b/) {
        Issue.record("\(file.path): \(line): what is installed is admitted")
      }
    }
  }

  @Test func `words for which the field has terms are gone`() throws {
    for file in try Tree.files(under: "Sources") {
      let found = Self.gone.intersection(parts(file.text))
      if !found.isEmpty { Issue.record("\(file.path): \(found.sorted())") }
    }
  }

  @Test func `the words of a name are read`() {
    #expect(parts("isBesideFormer = doorbells[2]") == ["is", "beside", "former", "doorbell"])
  }

  /// The words of a text and of its names, in small letters and without an `s` at the end.
  private func parts(_ text: String) -> Set<String> {
    var (parts, part): (Set<String>, [UInt8]) = ([], [])
    for byte in text.utf8 + [0] {
      let isSmall = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
      if !isSmall {
        if part.last == UInt8(ascii: "s"), part.count > 2 { part.removeLast() }
        if !part.isEmpty { parts.insert(String(decoding: part, as: UTF8.self)) }
        part = []
      }
      if isSmall || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) { part.append(byte | 0x20) }
    }
    return parts
  }

  @Test func `words are read from a declaration`() {
    let file = SourceFile(
      path: "Sources/M/X.swift",
      text: """
        public enum Order: String, CaseIterable {
          /// Heard.
          case play
          case `repeat`,
            hold = "on-hold"

          var isHeard: Bool {
            switch self {
            case .play: true
            case .hold, .repeat: false
            }
          }
        }
        enum Other: Int { case one, two }
        """)
    let found = words(in: file)
    #expect(found.map(\.name) == ["Order"])
    #expect(found.first?.words == ["play", "repeat", "on-hold"])
    #expect(found.first?.module == "M")
  }

  private func label(_ words: Words) -> String { "\(words.module).\(words.name)" }

  /// Pairs of enums of two modules of which one has all words of the other, and not more than half as many
  /// again.
  private func pairs() throws -> [(Words, Words)] {
    let all = try Tree.files(under: "Sources").filter { $0.path.hasSuffix(".swift") }.flatMap(words(in:))
    #expect(all.count > 30)
    var found: [(Words, Words)] = []
    for (index, one) in all.enumerated() {
      for other in all[(index + 1)...] where one.module != other.module {
        let (small, large) = one.words.count < other.words.count ? (one, other) : (other, one)
        guard small.words.count > 1, small.words.isSubset(of: large.words) else { continue }
        if large.words.count * 2 <= small.words.count * 3 { found.append((one, other)) }
      }
    }
    return found
  }

  /// The enums of a file that have texts as raw values.
  private func words(in file: SourceFile) -> [Words] {
    var found: [Words] = []
    var open: (name: String, indent: Int, words: Set<String>)?
    var goesOn = false
    for line in file.lines {
      let indent = line.prefix { $0 == " " }.count
      if line.contains("enum "), let match = line.firstMatch(of: /\benum (\w+): (.*)\{/) {
        guard match.2.contains(/\bString\b/), match.1 != "CodingKeys" else { continue }
        open = (String(match.1), indent, [])
      } else if let enumeration = open {
        if indent == enumeration.indent && line.dropFirst(indent).hasPrefix("}") {
          found.append(Words(module: module(file), name: enumeration.name, words: enumeration.words))
          open = nil
        } else if indent == enumeration.indent + 2, line.dropFirst(indent).hasPrefix("case ") {
          open?.words.formUnion(cases(line.dropFirst(indent + 5)))
          goesOn = line.hasSuffix(",")
        } else if goesOn {
          open?.words.formUnion(cases(line.dropFirst(indent)))
          goesOn = line.hasSuffix(",")
        }
      }
    }
    return found
  }

  private func module(_ file: SourceFile) -> Substring { file.path.split(separator: "/")[1] }

  /// The words of `play, `repeat`, hold = "on-hold"`.
  private func cases(_ text: Substring) -> [String] {
    text.split(separator: ",").compactMap { part in
      let sides = part.split(separator: "=").map { $0.filter { !" `\"".contains($0) } }
      return sides.last
    }
  }
}
