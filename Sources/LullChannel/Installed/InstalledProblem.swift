import LullWire

/// A mistake in the file of an installed program, or the reason for which it cannot be used.
package struct InstalledMistake: Error, Equatable, Sendable {
  /// The number of the line, from 1; nil when the whole file is meant.
  package let line: Int?
  /// What is wrong, and what to do.
  package let text: String

  package init(line: Int?, text: String) { (self.line, self.text) = (line, text) }
}

extension InstalledFile {
  package struct Problem: Error, Equatable, Sendable, CustomStringConvertible {
    /// The mistakes that are told at most: a file with more is hardly one of a program.
    private static let most = 8

    package let name: String
    /// The mistakes in the order of their lines; never empty.
    package let mistakes: [InstalledMistake]
    /// What could be read of the file all the same; nil when that is nothing.
    package let rest: InstalledFile?

    package init(name: String, line: Int? = nil, text: String) {
      self.init(name: name, mistakes: [InstalledMistake(line: line, text: text)])
    }

    package init(name: String, mistakes: [InstalledMistake], rest: InstalledFile? = nil) {
      (self.name, self.rest) = (name, rest)
      self.mistakes = mistakes.sorted { ($0.line ?? 0) < ($1.line ?? 0) }
    }

    /// The text lines, such as `/etc/lull/programs/phone:3: ...`, one for each mistake.
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
