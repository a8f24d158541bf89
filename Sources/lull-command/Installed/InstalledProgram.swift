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

  /// Throws the `mistakes` of the file's lines.
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
