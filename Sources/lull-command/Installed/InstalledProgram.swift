import LullChannel
import LullSystem
import LullWire

struct InstalledProgram {
  let file: InstalledFile

  static func folder() throws(Failure) -> InstalledFolder {
    guard let folder = InstalledFolder.ofThisUser else {
      throw .failed("no home directory to find installed programs in; set XDG_CONFIG_HOME")
    }
    return folder
  }

  static func holds(_ name: String) -> Bool { InstalledFolder.ofThisUser?.holds(name) ?? false }

  init(_ name: String) throws(Failure) {
    let folder = try Self.folder()
    do throws(InstalledFile.Problem) {
      file = try folder.file(name)
      let mistakes = InstalledValues.mistakes(in: file)
      guard mistakes.isEmpty else { throw .init(name: name, mistakes: mistakes) }
    } catch {
      let others = error.rest.map { InstalledValues.mistakes(in: $0, beside: error.mistakes) } ?? []
      throw .mistakes(InstalledFile.Problem(name: name, mistakes: error.mistakes + others).lines)
    }
  }

  /// The record by which the program is started: it has the environment of this process, and begins in the
  /// home directory of the user.
  func record(_ launch: Launch) throws(Failure) -> ProgramRecord {
    // The program finds the folder that it is told of. Where it cannot be made, it may run all the same.
    _ = try? ProgramStateFolder.ensure(of: file.name)
    let given = GivenOptions(file)
    var request = try given.request(name: file.name)
    request.launch = launch
    let environment = CommandBlock.environment(
      Self.inherited(), adding: try given.environment().map { Array($0.utf8) })
    let limits = try explained("\(file.name) cannot be started", ResourceLimit.all())
    var record = ProgramRecord(
      request: request, words: file.command.map { Array($0.utf8) }, environment: environment,
      directory: Self.home(), umask: FileCreationMask.current(), limits: limits)
    record.isInstalled = true
    record.output = file.values(of: "--output").last.map { Array($0.utf8) }
    record.isInputOpen = file.values(of: "--stdin").last == StreamOptions.Input.open.rawValue
    record.terminal = file.has("--tty") ? .usual : nil
    return record
  }

  /// What systemd tells lulld of lulld itself, and lull of another launch, is no other program's.
  private static let ownVariables =
    ["NOTIFY_SOCKET=", "WATCHDOG_", "LISTEN_", "INVOCATION_ID=", "MAINPID=", Launch.variablePrefix]

  private static func inherited() -> [[UInt8]] {
    let prefixes = ownVariables.map { Array($0.utf8) }
    return Identity.allEnvironment().filter { entry in !prefixes.contains { entry.starts(with: $0) } }
  }

  static func home() -> [UInt8] {
    guard let home = Identity.home(), home.hasPrefix("/") else { return Array("/".utf8) }
    let path = Array(home.utf8)
    do {
      _ = try Files.openDirectory(path)
      return path
    } catch {
      return Array("/".utf8)
    }
  }
}

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

/// The files of the installed programs, each with what the daemon says of its program.
struct InstalledList {
  let reports: [InstalledReport]
  let passedOver: [InstalledFolder.PassedOver]

  init(_ reports: [InstalledReport], passedOver: [InstalledFolder.PassedOver] = []) {
    (self.reports, self.passedOver) = (reports, passedOver)
  }

  init() throws(Failure) {
    let folder = try InstalledProgram.folder()
    let contents: InstalledFolder.Contents
    do throws(SystemError) { contents = try folder.contents() } catch {
      throw .failed("\(folder.path): cannot be read (\(error.message))")
    }
    var connection = try Daemon.connectStarting(boots: false)
    let told = try Self.told(&connection)
    let reports = contents.names.map { name in
      var report = told.first { $0.name == name } ?? InstalledReport(name: name)
      do throws(Failure) {
        report.command = try InstalledProgram(name).file.command
      } catch {
        report.mistake = error.lines.joined(separator: "\n")
      }
      return report
    }
    self.init(reports, passedOver: contents.passedOver)
  }

  private static func told(_ connection: inout Connection) throws(Failure) -> [InstalledReport] {
    var reports = try connection.ask(.installed()).records(InstalledItem.self).map { InstalledReport($0) }
    guard reports.contains(where: { $0.state == .running }) else { return reports }
    let programs = try connection.ask(.status(name: nil)).records(ProgramItem.self)
    for index in reports.indices where reports[index].state == .running {
      reports[index].running = programs.first { $0.name == reports[index].name }?.state
    }
    return reports
  }
}
