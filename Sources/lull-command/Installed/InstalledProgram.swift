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
      let errors = InstalledValues.errors(in: file)
      guard errors.isEmpty else { throw .init(name: name, errors: errors) }
    } catch {
      let others = error.rest.map { InstalledValues.errors(in: $0, beside: error.errors) } ?? []
      throw .errors(InstalledFile.Problem(name: name, errors: error.errors + others).lines)
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
    let environment = CommandWords.environment(
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
    return (try? Files.openDirectory(path)) == nil ? Array("/".utf8) : path
  }
}

enum InstalledValues {
  /// The errors of a file, but for what the network must be asked for. What may follow from another
  /// error, one of these or one `beside`, is told when that is mended.
  static func errors(
    in file: InstalledFile, beside others: [ConfigurationError] = []
  ) -> [ConfigurationError] {
    let all = GivenOptions(file).errors()
    let own = all.filter { !$0.mayFollow }
    var errors = (own.isEmpty && others.isEmpty ? Array(all.prefix(1)) : own).map {
      ConfigurationError(line: file.settings[$0.place].line, text: $0.failure.message ?? "cannot be read")
    }
    for setting in file.settings where setting.option == .output {
      guard let path = setting.value, !path.hasPrefix("/") else { continue }
      errors.append(.init(line: setting.line, text: "--output \(path): must be a path that begins with /"))
    }
    do throws(Failure) { try checkCommand(file) } catch {
      errors.append(.init(line: file.commandLine, text: error.message ?? "cannot be executed"))
    }
    return errors
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
    let contents = try explained("\(folder.path): cannot be read", brief: folder.contents())
    var connection = try Daemon.connectStarting(boots: false)
    let told = try Self.told(&connection)
    let reports = contents.names.map { name in
      var report = told.first { $0.name == name } ?? InstalledReport(name: name)
      do throws(Failure) {
        report.command = try InstalledProgram(name).file.command
      } catch {
        report.error = error.lines.joined(separator: "\n")
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
