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
    return (try? Files.openDirectory(path)) == nil ? Array("/".utf8) : path
  }
}

enum InstalledValues {
  /// The mistakes of a file, but for what the network must be asked for. What may follow from another
  /// mistake, one of these or one `beside`, is told when that is mended.
  static func mistakes(
    in file: InstalledFile, beside others: [InstalledMistake] = []
  ) -> [InstalledMistake] {
    let all = GivenOptions(file).mistakes()
    let own = all.filter { !$0.mayFollow }
    var mistakes = (own.isEmpty && others.isEmpty ? Array(all.prefix(1)) : own).map {
      InstalledMistake(line: file.settings[$0.place].line, text: $0.failure.message ?? "cannot be read")
    }
    for setting in file.settings where setting.option == .output {
      guard let path = setting.value, !path.hasPrefix("/") else { continue }
      mistakes.append(
        .init(line: setting.line, text: "--output \(path): must be a path that begins with /"))
    }
    do throws(Failure) { try checkCommand(file) } catch {
      mistakes.append(.init(line: file.commandLine, text: error.message ?? "cannot be executed"))
    }
    return mistakes
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

/// The start of an installed program for a person. lulld does it, so that the program has the same
/// environment at each start, whoever asks for it.
enum InstalledStart {
  /// The time that a launch may take until it counts as failed, and the way of that news, in nanoseconds.
  private static let patience: Int64 = 65_000_000_000

  /// A force-quit of the program is forgotten.
  static func start(_ name: String, _ look: StartLook = StartLook()) throws(Failure) {
    // A mistake is told here, with its line, and not as the failure of a launch.
    _ = try InstalledProgram(name)
    var connection = try Daemon.connectStarting(wanted: name)
    let deadline = Clock.boottime() + patience
    var report = try ask(.installed(name: name, start: true), of: name, &connection)
    while report.state == .starting, Clock.boottime() < deadline {
      Daemon.pause()
      report = try ask(.installed(name: name), of: name, &connection)
    }
    if report.state == .running, try ranBefore(name, &connection) { return try tellRunning(name) }
    try tell(report, look, over: &connection)
  }

  /// True for a program whose first process is older than this one. A daemon that this process has started
  /// may have taken it back, or started it: it says of both that they run.
  private static func ranBefore(_ name: String, _ connection: inout Connection) throws(Failure) -> Bool {
    guard let pid = try DetachedPrograms.pid(of: name, &connection),
      let first = try? ProcessIdentity.current(Int32(clamping: pid)),
      let own = try? ProcessIdentity.current(Identity.pid())
    else { return false }
    return first.start < own.start
  }

  private static func tell(
    _ report: InstalledReport, _ look: StartLook, over connection: inout Connection
  ) throws(Failure) {
    let name = report.name
    switch report.state {
    case .quit: throw .failed("\(name) was quit while it was started")
    case .starting: throw .failed("\(name) is still being started; see \"lull list\"")
    case .running, .ended, .waiting:
      let end = try look.end(of: name)
      if end == nil, report.state == .waiting { fallthrough }
      try look.tell(name, pid: DetachedPrograms.pid(of: name, &connection), end: end)
    case .failed, .mistake, nil:
      let reason = report.text ?? "see \"lull logs \(name)\" and \"lull log\""
      let next = report.dueInSeconds.map { "; next try in \(DurationText.text(seconds: $0))" } ?? ""
      throw .failed("\(name) cannot be started: \(reason)\(next)")
    }
  }

  static func tellRunning(_ name: String) throws(Failure) {
    try Output.say(DetachedPrograms.runsAlready(name) + "\n")
  }

  private static func ask(
    _ request: Request, of name: String, _ connection: inout Connection
  ) throws(Failure) -> InstalledReport {
    do throws(Failure) {
      let items = try connection.ask(request).records(InstalledItem.self)
      if let item = items.first(where: { $0.name == name }) { return InstalledReport(item) }
    } catch .refused(.noSuchProgram, let text) where InstalledProgram.holds(name) {
      throw .failed("lulld has another XDG_CONFIG_HOME or LULL_CONFIG_DIR: \(text)")
    }
    throw .failed("lulld tells nothing of \(name); see \"lull list\"")
  }
}

/// The start of lulld with the machine, by which installed programs come back: the unit of `Tools/install`,
/// and for a user a service manager that runs without a login.
enum BootStart {
  static let withoutSystemd = "have \"lull daemon start\" run when the machine starts"

  /// The commands that are missing; none where lulld starts with the machine, and nil where no systemd runs.
  static var missing: [String]? {
    let root = Identity.environment("LULL_SYSTEM_ROOT") ?? ""
    guard Files.exists(root + "/run/systemd/system") else { return nil }
    guard Identity.uid() != 0 else {
      let isEnabled = Files.exists(root + "/etc/systemd/system/multi-user.target.wants/lull.service")
      return isEnabled ? [] : ["systemctl enable lull"]
    }
    var missing: [String] = []
    let folders = [root + "/etc/systemd/user"] + (ownFolder.map { [$0 + "/systemd/user"] } ?? [])
    if !folders.contains(where: { Files.exists($0 + "/default.target.wants/lull.service") }) {
      missing.append("systemctl --user enable lull")
    }
    let user = Identity.environment("USER") ?? ""
    if user.isEmpty || !Files.exists(root + "/var/lib/systemd/linger/" + user) {
      missing.append("loginctl enable-linger")
    }
    return missing
  }

  private static var ownFolder: String? {
    if let given = Identity.environment("XDG_CONFIG_HOME"), given.hasPrefix("/") { return given }
    return Identity.home().map { $0 + "/.config" }
  }

  static var hint: String? {
    guard let commands = missing else { return "it does not start with the machine yet: \(withoutSystemd)" }
    guard !commands.isEmpty else { return nil }
    return "it does not start with the machine yet: \(commands.joined(separator: "; "))"
  }
}
