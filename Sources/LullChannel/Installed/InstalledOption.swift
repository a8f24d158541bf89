import LullWire

/// An option of `lull run` that the file of an installed program may have.
package struct InstalledOption: Hashable, Sendable {
  package enum Kind: Sendable {
    case flag
    case text
    /// A text; the option may stand several times.
    case list
  }

  package let word: String
  package let kind: Kind

  package static let deepBuffer = Self(word: "--deep-buffer", kind: .text)
  package static let environment = Self(word: "--env", kind: .list)
  package static let output = Self(word: "--output", kind: .text)
  package static let stdin = Self(word: "--stdin", kind: .text)
  package static let terminal = Self(word: "--tty", kind: .flag)

  package static let all =
    ProgramSettings.fields.map(Self.init) + [deepBuffer, environment, output, stdin, terminal]

  private init(_ field: FieldDescription) {
    let kind: Kind =
      switch field.shape {
      case .flag: .flag
      case .ports, .schemes, .accessories, .peers, .probes: .list
      default: .text
      }
    self.init(word: field.key.option, kind: kind)
  }

  private init(word: String, kind: Kind) { (self.word, self.kind) = (word, kind) }

  package init?(word: String) {
    guard let option = Self.all.first(where: { $0.word == word }) else { return nil }
    self = option
  }

  static func objection(to word: String) -> String? {
    switch word {
    case "--detach": "an installed program is always detached; take it out"
    case "--name": "the name of the file is the program's name; take it out, or rename the file"
    case "--no-start", "--replace": "only for \"lull install\", and not for a file; take it out"
    default: nil
    }
  }
}
