import LullSystem
package import LullWire

/// `adopt = unit NAME`, in place of a command: what somebody else starts is adopted under the name of the
/// file.
extension InstalledFile {
  package struct Adoption: Equatable, Sendable {
    /// Never a process, which has one life.
    package let kind: Vocabulary.Adopted
    package let name: String
  }

  private static let word = "adopt"

  /// Those of what Lull starts and ends itself, and of links, which nobody else starts it for.
  private static let others = [
    "--env", "--deep-buffer", "--output", "--tty", "--stdin", "--scheme", "--exits-on-suspend", "--purgeable",
    "--keep-lines",
  ]

  /// Nil where the line begins otherwise.
  func adoption(_ words: ArraySlice<InstalledWords.Word>) throws(ConfigurationError) -> Adoption? {
    guard let first = words.first, first.text == Self.word || first.text.hasPrefix(Self.word + "=") else {
      return nil
    }
    guard command.isEmpty else { throw secondCommand(Self.word, at: first.line) }
    let texts = words.map(\.text)
    guard texts.count == 4, texts[1] == "=", let kind = Vocabulary.Adopted(rawValue: texts[2]),
      kind != .process, !texts[3].hasPrefix("-")
    else {
      throw .init(
        line: first.line, text: "adopt: write \"adopt = unit NAME\", or container NAME, or cgroup PATH")
    }
    return Adoption(kind: kind, name: texts[3])
  }

  func secondCommand(_ word: String, at line: Int) -> ConfigurationError {
    .init(line: line, text: "\(word): line \(commandLine) says already what runs; keep one of both")
  }

  /// The command by which a person does the same.
  static func command(of adoption: Adoption) -> [String] {
    let program = (try? Process.sibling("lull")) ?? "lull"
    return [program, word, "--\(adoption.kind.rawValue)", adoption.name, "--follow"]
  }

  func objections() -> [ConfigurationError] {
    settings.filter { Self.others.contains($0.option.word) }.map {
      .init(line: $0.line, text: "\($0.option.word): not for what is adopted; take it out")
    }
  }
}
