import ArgumentParser
import LullWire

/// The words of the command line that name a subcommand. The parser's own complaint about one that does not
/// names no other, and `lull help` shows its whole help for it.
enum SubcommandWords {
  /// The words of other tools.
  private static let habits = [
    "ps": "status", "ls": "status", "top": "status --watch", "show": "status", "info": "status",
    "kill": "signal", "end": "quit", "exit": "quit", "enable": "install", "disable": "remove",
    "uninstall": "remove", "rm": "forget", "delete": "forget", "exec": "run", "spawn": "run",
    "launch": "start", "join": "attach", "journal": "log", "events": "log", "tail": "logs", "output": "logs",
    "freeze": "suspend", "sleep": "suspend", "pause": "suspend", "thaw": "wake", "resume": "wake",
    "upgrade": "daemon upgrade", "shutdown": "daemon stop", "check": "doctor", "connections": "lines",
    "version": "--version",
  ]

  /// Throws `usage` for a word that names none, and for an option without its value.
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

  /// Throws `usage` for an option whose value is empty, as in `--linger=`. The parser takes that for one.
  private static func checkValues(
    _ words: ArraySlice<String>, of command: any ParsableCommand.Type, named name: String
  ) throws(Failure) {
    guard words.contains(where: { $0.isEmpty || $0.hasSuffix("=") }) else { return }
    let help = LullCommand.helpMessage(for: command, includeHidden: true, columns: 1000)
    var rest = words
    while let word = rest.popFirst(), word != "--" {
      let option = word.prefix { $0 != "=" }
      guard word.hasPrefix("--"), help.contains("\(option) <") else {
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
