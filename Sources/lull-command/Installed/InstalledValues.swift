import LullChannel
import LullSystem
import LullWire

enum InstalledValues {
  /// A failure, and the option that it is about; nil for the command.
  private struct Finding {
    let mistake: InstalledMistake
    let place: Int?
    /// True for a value that is wrong by itself, and not beside another option.
    let isOfValue: Bool
  }

  /// The mistakes of a file, but for what the network must be asked for. What may follow from another
  /// mistake, one of these or one `beside`, is told when that is mended.
  static func mistakes(
    in file: InstalledFile, beside others: [InstalledMistake] = []
  ) -> [InstalledMistake] {
    var (rest, mistakes): (InstalledFile, [InstalledMistake]) = (file, [])
    while let finding = firstFinding(in: rest) {
      if finding.isOfValue || mistakes.isEmpty && others.isEmpty { mistakes.append(finding.mistake) }
      guard let place = finding.place else { break }
      rest = rest.without(settingAt: place)
    }
    do throws(Failure) { try checkCommand(file) } catch {
      mistakes.append(.init(line: file.commandLine, text: error.message ?? "cannot be executed"))
    }
    return mistakes
  }

  private static func firstFinding(in file: InstalledFile) -> Finding? {
    do throws(Failure) {
      let given = GivenOptions(file)
      _ = try given.request(name: file.name, isResolving: false)
      _ = try given.environment()
      try checkStreams(file)
      return nil
    } catch {
      return finding(file, error.message ?? "cannot be read")
    }
  }

  private static func checkStreams(_ file: InstalledFile) throws(Failure) {
    for value in file.values(of: "--stdin") { _ = try StreamOptions.input(value) }
    if file.has("--tty"), file.has("--stdin") {
      throw .usage("--stdin: the input of a program with --tty is its terminal; keep one of both")
    }
    for path in file.values(of: "--output") where !path.hasPrefix("/") {
      throw .usage("--output \(path): must be a path that begins with /")
    }
  }

  private static func checkCommand(_ file: InstalledFile) throws(Failure) {
    guard let word = file.command.first else { return }
    guard word.hasPrefix("/") || !word.utf8.contains(UInt8(ascii: "/")) else {
      throw .failed("\(word): write a path that begins with /, or a word that is found in PATH")
    }
    let path = file.values(of: "--env").last { $0.hasPrefix("PATH=") }?.dropFirst(5)
    let found: String
    do {
      found = try CommandPath.find(word, in: path.map { String($0) } ?? Identity.environment("PATH"))
    } catch {
      throw .failed(
        error.isNoSuchFile
          ? "\(word): no such command; is it installed, and is the path right?"
          : "\(word): cannot be executed (\(error.message))")
    }
    if let lost = LostInterpreter(of: found) { throw .failed("\(word): \(lost.text)") }
  }

  /// The text of a wrong option begins with the option, and its value if one value is wrong.
  private static func finding(_ file: InstalledFile, _ text: String) -> Finding {
    let settings = file.settings
    let ofValue = settings.firstIndex {
      text.hasPrefix(Printable.text("\($0.option.word) \($0.value ?? ""):"))
    }
    let place =
      ofValue ?? settings.lastIndex { text.hasPrefix("\($0.option.word):") }
      ?? settings.lastIndex { text.hasPrefix("\($0.option.word) ") }
    let mistake = InstalledMistake(line: place.map { settings[$0].line }, text: text)
    return Finding(mistake: mistake, place: place, isOfValue: ofValue != nil)
  }
}
