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

  /// Throws `usage` for a word that names none.
  static func check(_ arguments: [String]) throws(Failure) {
    var words = arguments[...]
    if words.first == "help" { words = words.dropFirst() }
    var command: any ParsableCommand.Type = LullCommand.self
    var path: [String] = []
    for word in words {
      let subcommands = command.configuration.subcommands
      guard !subcommands.isEmpty, !word.hasPrefix("-"), word != "help" else { return }
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
  }
}
