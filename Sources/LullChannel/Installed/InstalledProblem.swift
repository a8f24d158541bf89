import LullWire

/// A mistake in the file of an installed program, or the reason why the file cannot be used.
package struct InstalledMistake: Error, Equatable, Sendable {
  /// Lines count from 1; nil for the whole file.
  package let line: Int?
  /// The text says what is wrong, and what to do.
  package let text: String

  package init(line: Int?, text: String) { (self.line, self.text) = (line, text) }
}

extension InstalledFile {
  package struct Problem: Error, Equatable, Sendable, CustomStringConvertible {
    /// More mistakes are not told: the file is hardly one of a program.
    private static let most = 8

    package let name: String
    /// In the order of their lines; never empty.
    package let mistakes: [InstalledMistake]
    /// The part of the file that could be read.
    package let rest: InstalledFile?

    package init(name: String, line: Int? = nil, text: String) {
      self.init(name: name, mistakes: [InstalledMistake(line: line, text: text)])
    }

    package init(name: String, mistakes: [InstalledMistake], rest: InstalledFile? = nil) {
      (self.name, self.rest) = (name, rest)
      self.mistakes = mistakes.sorted { ($0.line ?? 0) < ($1.line ?? 0) }
    }

    /// One for each mistake, such as `/etc/lull/programs/phone:3: ...`.
    package var lines: [String] {
      let file = InstalledFolder.ofThisUser?.path(of: name) ?? "programs/\(name)"
      let lines = mistakes.prefix(Self.most).map { mistake in
        Printable.text("\(file):\(mistake.line.map { "\($0):" } ?? "") \(mistake.text)")
      }
      let left = mistakes.count - lines.count
      return lines + (left > 0 ? ["\(Printable.text(file)): \(left) more mistakes"] : [])
    }

    package var description: String { lines.joined(separator: "; ") }
  }
}
