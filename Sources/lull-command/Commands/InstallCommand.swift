import ArgumentParser
import LullChannel
import LullSystem
import LullWire

struct InstallCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "install",
    abstract: "Have a program started at boot, and again whenever it is needed.",
    usage: "lull install <name> [<options>] -- <command> ...",
    discussion: """
      The daemon starts an installed program when it starts itself (at boot, where it is a service), after a \
      crash, and for what comes for the program while it does not run. After "lull quit" it stays ended \
      until "lull start". Where nothing starts the daemon at boot, the missing commands are printed. \
      It is started now, too, as by "lull start".

      The options and the command are written to a file of that name in ~/.config/lull/programs \
      (/etc/lull/programs for root), in the words of the command line. It may be edited by hand; the \
      program takes it at its next start. The program begins in the home directory and has the environment \
      of the daemon. The command is looked up in PATH now, and its path is written. While another program of \
      that name runs it is refused.

      Example: lull install phone --mode voip --keep-alive 600 -- baresip
      """)

  @Argument(help: .init("The program's name.", valueName: "name"))
  var name: String
  @OptionGroup var options: ProgramOptions
  @OptionGroup var streams: StreamOptions
  @Flag(help: "Do not start it now.")
  var noStart = false
  @Flag(help: "Replace the file of a program that is installed already.")
  var replace = false
  @Argument(
    parsing: .postTerminator, help: .init("The command and its arguments.", valueName: "command"),
    completion: .file())
  var words: [String] = []

  func run() throws(Failure) {
    let bytes = try bytes()
    let folder = try InstalledProgram.folder()
    guard InstalledFolder.isName(name) else { throw badName }
    if folder.holds(name), !replace {
      throw .failed(
        "\(name) is installed already; give --replace, or end and remove it with \"lull remove \(name)\"")
    }
    if let obstacle = folder.obstacle(to: name) { throw .failed("\(obstacle)") }
    let isNew = !folder.holds(name)
    let wasRunning = try lookAtDaemon(isNew: isNew)
    // Another program of that name would be taken for the installed one, and ended with it.
    guard !isNew || !wasRunning else {
      throw .failed(
        "\(name) runs already, and is not installed; end it first (\"lull quit \(name)\"), or choose another "
          + "name")
    }
    try write(bytes, in: folder)
    try Output.say("\(name) is installed: \(folder.path(of: name))\n")
    for word in words.dropFirst() where isLeftBehind(word) {
      Output.complain(
        "\(word) is here, but not in the home directory, where \(name) begins: write its whole path")
    }
    if let hint = BootStart.hint { try Output.say(hint + "\n") }
    if !noStart { try InstalledStart.start(name) }
  }

  /// True when a program of that name runs already. The race: lulld takes a file that it finds at its own
  /// start for one of its boot. One that answers has looked, so the file is written after that; the file of
  /// a program that is replaced is there before.
  private func lookAtDaemon(isNew: Bool) throws(Failure) -> Bool {
    do throws(Failure) {
      var connection = try isNew && !noStart ? Daemon.connectStarting() : Daemon.connect()
      return try DetachedPrograms.runs(name, &connection)
    } catch {
      // Without a start none is needed.
      guard noStart || error == .noDaemon else { throw error }
      return false
    }
  }

  private func write(_ bytes: [UInt8], in folder: InstalledFolder) throws(Failure) {
    let words = "\(name) cannot be installed"
    try explained(words, Files.makeDirectories(folder.path))
    if let objection = try explained(words, folder.objection()) { throw .failed("\(words): \(objection)") }
    try explained(words, Files.replace(folder.path(of: name), with: bytes, durably: true))
  }

  private var badName: Failure {
    .usage(
      ProgramName.isValid(name)
        ? "\(name): editors name copies so; choose another name"
        : "\(name): must be \(ProgramName.expected)")
  }

  private func bytes() throws(Failure) -> [UInt8] {
    guard !words.isEmpty else {
      throw .usage("install: no command; write \"lull install \(name) -- COMMAND\"")
    }
    var given = options.given
    streams.add(to: &given)
    if let error = given.errors().first { throw error.failure }
    given.add(
      InstalledOption.output,
      try streams.outputFile().map { (path) throws(Failure) in try text(path, "the path of --output") })
    return InstalledFile.bytes(given.list, command: try command())
  }

  private func command() throws(Failure) -> [String] {
    var command: [String] = []
    for word in try CommandWords.ofThisProcess(words: words).arguments {
      command.append(try text(word, "the command"))
    }
    let (found, path): (String, [UInt8])
    do throws(SystemError) {
      found = try CommandPath.find(command[0], in: Identity.environment("PATH"))
      path = try Files.absolutePath(Array(found.utf8))
    } catch {
      throw .command(command[0], error)
    }
    if let lost = LostInterpreter(of: found) { throw .script(command[0], lost) }
    command[0] = try text(path, "the path of the command")
    return command
  }

  private func isLeftBehind(_ word: String) -> Bool {
    guard !word.isEmpty, !word.hasPrefix("/") else { return false }
    let home = String(decoding: InstalledProgram.home(), as: UTF8.self)
    return Files.exists(word) && !Files.exists("\(home)/\(word)")
  }

  private func text(_ bytes: [UInt8], _ what: String) throws(Failure) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw .failed("\(what) is not UTF-8, and cannot be written to a file; install a script that runs it")
    }
    return text
  }
}

struct RemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "End installed programs, and start them no more.",
    discussion: """
      A program is ended as by "lull stop", and then its file is removed. When it cannot be ended the file \
      stays, and when the file cannot be removed the program stays ended: run the command again. Its log \
      and its own files stay.

      Example: lull remove phone
      """)

  @Argument(help: "The programs' names.", completion: Completions.installed)
  var names: [String]
  @Flag(help: "Let a program that runs go on; it is not started again when it ends.")
  var keepRunning = false

  func run() throws(Failure) {
    try DetachedPrograms.each(names) { (name) throws(Failure) in try remove(name) }
  }

  private func remove(_ name: String) throws(Failure) {
    let folder = try InstalledProgram.folder()
    guard folder.holds(name) else { throw DetachedPrograms.uninstalled(name, folder) }
    if !keepRunning { try end(name) }
    let words = "\(name) is still installed: its file cannot be removed"
    try explained(words, brief: Files.unlink(folder.path(of: name)))
    // A daemon that runs learns it now; another one at its start.
    _ = try? Daemon.ask(.installed())
    try Output.say("\(name) is removed\n")
  }

  private func end(_ name: String) throws(Failure) {
    var connection = try Daemon.connectStarting(boots: false)
    if try DetachedPrograms.runs(name, &connection) {
      do throws(Failure) {
        if (try? InstalledProgram(name))?.file.adoption != nil {
          _ = try connection.ask(.letGo(name: name))
        } else {
          try ProgramChange.make([name], .quit(now: false), on: connection.next())
        }
      } catch {
        // The race: somebody else has ended it meanwhile.
        guard try !DetachedPrograms.runs(name, &connection) else { throw error }
      }
    }
    // One that waits for its next start must not be started any more.
    _ = try? connection.overRestart { (connection) throws(Failure) in
      try connection.ask(.quit(name: name, now: false))
    }
  }
}

struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Show the installed programs, also those that do not run (those that run: status).",
    discussion: """
      Each with its state (that of "lull status" when it runs), what starts it next when it does not run, \
      and its command; files with an error with the line that is wrong. Programs that were not installed \
      are in "lull status".

      Example: lull list
      """)

  @OptionGroup var json: JSONOption

  func run() throws(Failure) {
    let list = try InstalledList()
    try json.write(list.reports) { InstalledText.text(list, $0) }
  }
}
