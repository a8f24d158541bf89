import ArgumentParser
import LullChannel
import LullProgram
import LullSystem
import LullWire

@main
enum Entry {
  static func main() {
    StandardStreams.reserve()
    if KeepProcess.isAskedFor { KeepProcess.run() }
    do {
      let words = Array(CommandLine.arguments.dropFirst())
      try SubcommandWords.check(words)
      ManualPage.open(askedFor: words)
      var command = try LullCommand.parseAsRoot()
      // The doctor reports leftover programs itself, and unfreezes them with --thaw.
      if !(command is DoctorCommand) { Leftover.releaseAtStart() }
      for problem in DirectoryVariables.problems() { Output.complain(problem) }
      try command.run()
    } catch let failure as Failure {
      failure.end()
    } catch {
      // The answer to --help and its kind: the parser itself would not tell that it cannot be written.
      if LullCommand.exitCode(for: error).isSuccess { Output.end(LullCommand.fullMessage(for: error) + "\n") }
      LullCommand.end(error)
    }
  }
}

struct LullCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lull",
    abstract: "Let programs sleep without missing a call.",
    discussion: """
      Lull freezes programs in the background, watches their connections, and wakes them when a byte \
      arrives or a keep-alive is due.

      Example: lull run --name phone -- lull-phone 127.0.0.1:10000

      Exit status: 0; 1 refused or failed, with one line that says why; 2 of several programs some failed; \
      64 wrong usage.
      LULL_RUNTIME_DIR: the daemon's directory (default $XDG_RUNTIME_DIR/lull, /run/lull for root).
      LULL_CONFIG_DIR: your files for Lull (default $XDG_CONFIG_HOME/lull, /etc/lull for root).
      Completions: lull --generate-completion-script bash|zsh|fish
      """,
    version: Version.text,
    groupedSubcommands: [
      CommandGroup(
        name: "Run",
        subcommands: [
          RunCommand.self, AttachCommand.self, LogsCommand.self, StartCommand.self, RestartCommand.self,
          QuitCommand.self, StopCommand.self, ForgetCommand.self,
        ]),
      CommandGroup(
        name: "Install", subcommands: [InstallCommand.self, RemoveCommand.self, ListCommand.self]),
      CommandGroup(name: "Fetch", subcommands: [TransferCommand.self]),
      CommandGroup(
        name: "Look",
        subcommands: [
          StatusCommand.self, WhyCommand.self, LogCommand.self, WakesCommand.self, LinesCommand.self,
        ]),
      CommandGroup(
        name: "Sleep",
        subcommands: [
          WakeCommand.self, SuspendCommand.self, ForegroundCommand.self, BackgroundCommand.self,
          SignalCommand.self, PurgeCommand.self,
        ]),
      CommandGroup(name: "Adopt", subcommands: [WatchCommand.self, AdoptCommand.self, ReleaseCommand.self]),
      CommandGroup(
        name: "Sound and desktop",
        subcommands: [
          SoundCommand.self, QuietCommand.self, NotificationsCommand.self, AnswerCommand.self,
          AllowCommand.self, DenyCommand.self, OpenCommand.self, PushCommand.self, LockCommand.self,
          UnlockCommand.self,
        ]),
      CommandGroup(name: "Lull itself", subcommands: [DaemonCommand.self, DoctorCommand.self]),
    ])
}

extension LullCommand {
  /// Ends the process as `exit(withError:)` does, with a complaint whose lines fit the terminal.
  static func end(_ error: any Error) -> Never {
    let code = exitCode(for: error)
    let (message, mark) = (Printable.lines(fullMessage(for: error)), "Error: ")
    let text = message.hasPrefix(mark) ? "lull: \(message.dropFirst(mark.count))" : message
    let complaint = Prose.wrapped(text + "\n", columns: Style.ofStandardError().proseColumns)
    // When standard error is closed, the exit status still tells the failure.
    try? StandardStreams.write(Array(complaint.utf8), to: StandardStreams.error)
    Process.exit(code.rawValue)
  }
}

/// The words of the command line that name a subcommand. The parser's own complaint about one that does not
/// names no other, and `lull help` shows its whole help for it.
enum SubcommandWords {
  private static let habits = [
    "ps": "status", "ls": "status", "top": "status --watch", "show": "status", "info": "status",
    "kill": "signal", "end": "quit", "exit": "quit", "enable": "install", "disable": "remove",
    "uninstall": "remove", "rm": "forget", "delete": "forget", "exec": "run", "spawn": "run",
    "launch": "start", "join": "attach", "journal": "log", "events": "log", "tail": "logs", "output": "logs",
    "freeze": "suspend", "sleep": "suspend", "pause": "suspend", "thaw": "wake", "resume": "wake",
    "upgrade": "daemon upgrade", "shutdown": "daemon stop", "check": "doctor", "connections": "lines",
    "version": "--version",
  ]

  static func check(_ arguments: [String]) throws(Failure) {
    var words = arguments[...]
    if words.first == "help" { words = words.dropFirst() }
    var command: any ParsableCommand.Type = LullCommand.self
    var path: [String] = []
    for word in words {
      let subcommands = command.configuration.subcommands
      guard !subcommands.isEmpty, !word.hasPrefix("-"), word != "help" else { break }
      guard let next = subcommands.first(where: { $0.configuration.commandName == word }) else {
        let names = subcommands.compactMap { $0.configuration.commandName }
        throw .usage(
          Spelling.complaint(
            ofSubcommand: (path + [word]).joined(separator: " "),
            of: (["lull"] + path).joined(separator: " "),
            among: names.map { (path + [$0]).joined(separator: " ") }, habits: habits))
      }
      command = next
      path.append(word)
    }
    try checkValues(words.dropFirst(path.count), of: command, named: (["lull"] + path).joined(separator: " "))
  }

  /// Throws `usage` for an option whose value is empty, as in `--mode=`. The parser takes that for one.
  private static func checkValues(
    _ words: ArraySlice<String>, of command: any ParsableCommand.Type, named name: String
  ) throws(Failure) {
    guard words.contains(where: { $0.isEmpty || $0.hasSuffix("=") }) else { return }
    let help = LullCommand.helpMessage(for: command, includeHidden: true, columns: 1000)
    var rest = words
    while let word = rest.popFirst(), word != "--" {
      let option = word.prefix { $0 != "=" }
      guard word.hasPrefix("--"), help.holds("\(option) <") else {
        // The words of the command that is to be run are its own.
        if command is RunCommand.Type, !word.hasPrefix("-") { return }
        continue
      }
      let value = option.count < word.count ? String(word.dropFirst(option.count + 1)) : rest.popFirst()
      if value == "" {
        throw .usage("\(option): its value is missing; \"\(name) --help\" tells what it can be")
      }
    }
  }
}
