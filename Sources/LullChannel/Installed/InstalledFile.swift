import LullWire

/// The file of an installed program: options of `lull run` and a command, for example
///
///     --mode voip --keep-alive 600
///     -- /usr/bin/baresip -f "/srv/bare sip"
package struct InstalledFile: Equatable, Sendable {
  package struct Setting: Equatable, Sendable {
    package let option: InstalledOption
    package let value: String?
    /// Lines count from 1.
    package let line: Int
  }

  private static let longestShown = 32
  /// In bytes.
  package static let maximum = 1 << 20

  package let name: String
  package private(set) var settings: [Setting] = []
  /// The command with its arguments; never empty.
  package private(set) var command: [String] = []
  package private(set) var commandLine = 1
  /// Nil for a program that Lull starts itself.
  package private(set) var adoption: Adoption?

  package func values(of option: String) -> [String] {
    settings.filter { $0.option.word == option }.compactMap(\.value)
  }

  package func has(_ option: String) -> Bool { settings.contains { $0.option.word == option } }
}

extension InstalledFile {
  /// Bounds are not checked, nor whether the command exists. Throws the errors, one for each line that has
  /// any.
  package init(name: String, bytes: [UInt8]) throws(Problem) {
    self.name = name
    var (lines, errors) = InstalledWords.lines(of: bytes)
    for line in lines {
      do throws(ConfigurationError) { try read(line[...]) } catch { errors.append(error) }
    }
    if adoption != nil { errors += objections() }
    guard errors.isEmpty else { throw Problem(name: name, errors: errors, rest: self) }
    guard !command.isEmpty else {
      throw Problem(name: name, text: "no command; add a line such as \"-- /usr/bin/baresip\"")
    }
  }

  private mutating func read(_ words: ArraySlice<InstalledWords.Word>) throws(ConfigurationError) {
    if let found = try adoption(words) {
      (adoption, command, commandLine) = (found, Self.command(of: found), words.first?.line ?? 1)
      return
    }
    var words = words
    while let word = words.popFirst() {
      guard command.isEmpty || adoption != nil else {
        throw .init(
          line: word.line,
          text: "\(Self.shown(word.text)): stands behind the command, which ends with its line; "
            + "continue that line with a \\ at its end")
      }
      guard word.text != "--" else {
        if adoption != nil { throw secondCommand("--", at: word.line) }
        guard !words.isEmpty else {
          throw .init(line: word.line, text: "no command behind --; write it on the same line")
        }
        commandLine = word.line
        command = words.map(\.text)
        return
      }
      settings.append(try setting(word, &words))
    }
  }

  private func setting(
    _ word: InstalledWords.Word, _ rest: inout ArraySlice<InstalledWords.Word>
  ) throws(ConfigurationError) -> Setting {
    let parts = word.text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let text = String(parts[0])
    guard let option = InstalledOption(word: text) else { throw unknown(text, at: word.line) }
    if option.kind != .list, let first = settings.first(where: { $0.option == option }) {
      throw .init(line: word.line, text: "\(text): stands on line \(first.line) already; keep one of the two")
    }
    var value = parts.count == 2 ? String(parts[1]) : nil
    guard option.kind != .flag else {
      guard value == nil else { throw .init(line: word.line, text: "\(text): takes no value") }
      return Setting(option: option, value: nil, line: word.line)
    }
    if value == nil, rest.first?.text.hasPrefix("--") == false { value = rest.removeFirst().text }
    // An equals sign by itself is the one of other configuration files.
    guard let value, !value.isEmpty, value != "=" else {
      throw .init(line: word.line, text: "\(text): its value is missing; write it on the same line")
    }
    return Setting(option: option, value: value, line: word.line)
  }

  /// Shows a word only where it looks like an option: a link can lead to a file of root's, such as
  /// /etc/shadow, of which no other word may be told.
  private static func shown(_ word: String) -> String {
    let name = word.utf8.dropFirst(2)
    let isOption =
      word.hasPrefix("--") && (1...longestShown).contains(name.count)
      && name.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || $0 == UInt8(ascii: "-") }
    return isOption ? word : "a word"
  }

  private func unknown(_ text: String, at line: Int) -> ConfigurationError {
    if let objection = InstalledOption.objection(to: text) {
      return .init(line: line, text: "\(text): \(objection)")
    }
    if let option = InstalledOption(word: "--\(text)") {
      let form = option.kind == .flag ? option.word : "\(option.word) VALUE"
      return .init(line: line, text: "\(text): its two dashes are missing; write \"\(form)\"")
    }
    let shown = Self.shown(text)
    guard text.hasPrefix("--") else {
      return .init(line: line, text: "\(shown): not an option; write \"-- \" before the command")
    }
    if let near = Spelling.nearest(to: text, among: InstalledOption.all.map(\.word)) {
      return .init(line: line, text: "\(shown): no such option; did you mean \"\(near)\"?")
    }
    return .init(line: line, text: "\(shown): no such option; \"lull install --help\" lists them")
  }
}

extension InstalledFile {
  package static func bytes(
    _ options: [(option: InstalledOption, value: String?)], command: [String]
  ) -> [UInt8] {
    var text = ""
    for (option, value) in options {
      text += option.word + (value.map { separator($0) + InstalledWords.quoted($0) } ?? "") + "\n"
    }
    return Array((text + "-- " + line(command) + "\n").utf8)
  }

  package static func line(_ command: [String]) -> String {
    command.map(InstalledWords.quoted).joined(separator: " ")
  }

  /// A value that looks like an option must stand behind an equals sign.
  private static func separator(_ value: String) -> String { value.hasPrefix("--") ? "=" : " " }
}

/// An error in the file of an installed program, or the reason why the file cannot be used.
package struct ConfigurationError: Error, Equatable, Sendable {
  /// Lines count from 1; nil for the whole file.
  package let line: Int?
  package let text: String

  package init(line: Int?, text: String) { (self.line, self.text) = (line, text) }
}

extension InstalledFile {
  package struct Problem: Error, Equatable, Sendable, CustomStringConvertible {
    /// More errors are not told: the file is hardly one of a program.
    private static let most = 8

    package let name: String
    /// In the order of their lines; never empty.
    package let errors: [ConfigurationError]
    package let rest: InstalledFile?

    package init(name: String, line: Int? = nil, text: String) {
      self.init(name: name, errors: [ConfigurationError(line: line, text: text)])
    }

    package init(name: String, errors: [ConfigurationError], rest: InstalledFile? = nil) {
      (self.name, self.rest) = (name, rest)
      self.errors = errors.sorted { ($0.line ?? 0) < ($1.line ?? 0) }
    }

    /// One for each error, such as `/etc/lull/programs/phone:3: ...`.
    package var lines: [String] {
      let file = InstalledFolder.ofThisUser?.path(of: name) ?? "programs/\(name)"
      let lines = errors.prefix(Self.most).map { error in
        Printable.text("\(file):\(error.line.map { "\($0):" } ?? "") \(error.text)")
      }
      let left = errors.count - lines.count
      return lines + (left > 0 ? ["\(Printable.text(file)): \(left) more errors"] : [])
    }

    package var description: String { lines.joined(separator: "; ") }
  }
}
