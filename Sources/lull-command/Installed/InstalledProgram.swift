import LullChannel
import LullSystem
import LullWire

/// An installed program, as its file describes it.
struct InstalledProgram {
  let file: InstalledFile
  private let fields: ProgramFields

  /// The folder of the installed programs.
  static func folder() throws(Failure) -> InstalledFolder {
    guard let folder = InstalledFolder.ofThisUser else {
      throw .failed("no home directory to find installed programs in; set XDG_CONFIG_HOME")
    }
    return folder
  }

  /// True when a program of that name is installed.
  static func holds(_ name: String) -> Bool { InstalledFolder.ofThisUser?.holds(name) ?? false }

  /// Reads and checks the file of a program. Throws `failed` with the line that is wrong.
  init(_ name: String) throws(Failure) {
    let folder = try Self.folder()
    do throws(InstalledFile.Problem) { file = try folder.file(name) } catch { throw .failed("\(error)") }
    fields = try Self.checked(file)
  }

  /// Checks everything but what the network must be asked for.
  private static func checked(_ file: InstalledFile) throws(Failure) -> ProgramFields {
    do throws(Failure) {
      let fields = try ProgramFields(file)
      _ = try fields.request(name: file.name, isResolving: false)
      _ = try fields.environment()
      try checkStreams(file)
      try checkCommand(file, fields)
      return fields
    } catch {
      throw .failed("\(problem(file, error))")
    }
  }

  private static func checkStreams(_ file: InstalledFile) throws(Failure) {
    for value in file.values(of: "--stdin") where StreamOptions.Input(rawValue: value) == nil {
      throw .usage("--stdin \(value): must be empty or open")
    }
    if file.has("--tty"), file.has("--stdin") {
      throw .usage("--stdin: the input of a program with --tty is its terminal; keep one of both")
    }
    for path in file.values(of: "--output") where !path.hasPrefix("/") {
      throw .usage("--output \(path): must be a path that begins with /")
    }
  }

  private static func checkCommand(_ file: InstalledFile, _ fields: ProgramFields) throws(Failure) {
    let word = file.command[0]
    guard word.hasPrefix("/") || !word.utf8.contains(UInt8(ascii: "/")) else {
      throw .failed("\(word): write a path that begins with /, or a word that is found in PATH")
    }
    let path = fields.variables.last { $0.hasPrefix("PATH=") }?.dropFirst(5)
    do {
      _ = try CommandPath.find(word, in: path.map { String($0) } ?? Identity.environment("PATH"))
    } catch {
      throw .failed(
        error.isNoSuchFile
          ? "\(word): no such command; is it installed, and is the path right?"
          : "\(word): cannot be executed (\(error.message))")
    }
  }

  /// The mistake with its line. The text of a wrong option begins with the option, and its value if one value
  /// is wrong.
  private static func problem(_ file: InstalledFile, _ failure: Failure) -> InstalledFile.Problem {
    guard case .usage(let text) = failure else {
      return .init(name: file.name, line: file.commandLine, text: failure.message ?? "cannot be read")
    }
    let entry =
      file.settings.first { text.hasPrefix("\($0.option.rawValue) \($0.value ?? ""):") }
      ?? file.settings.last { text.hasPrefix("\($0.option.rawValue):") }
      ?? file.settings.last { text.hasPrefix("\($0.option.rawValue) ") }
    return .init(name: file.name, line: entry?.line, text: text)
  }

  /// The record by which the program is started: it has the environment of this process, and begins in the
  /// home directory of the user.
  func record(_ launch: Request.Launch) throws(Failure) -> ProgramRecord {
    // The program finds the folder that it is told of. Where it cannot be made, it may run all the same.
    _ = try? ProgramStateFolder.ensure(of: file.name)
    var request = try fields.request(name: file.name)
    request.launch = launch
    let environment = CommandBlock.environment(
      Self.inherited(), adding: try fields.environment().map { Array($0.utf8) })
    let limits: [ResourceLimit]
    do { limits = try ResourceLimit.all() } catch {
      throw .failed("\(file.name) cannot be started: \(error)")
    }
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
    ["NOTIFY_SOCKET=", "WATCHDOG_", "LISTEN_", "INVOCATION_ID=", "MAINPID=", Request.Launch.variablePrefix]

  private static func inherited() -> [[UInt8]] {
    let prefixes = ownVariables.map { Array($0.utf8) }
    return Identity.allEnvironment().filter { entry in !prefixes.contains { entry.starts(with: $0) } }
  }

  /// The home directory, or the root where there is none that can be entered.
  private static func home() -> [UInt8] {
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
