import ArgumentParser
import LullProgram
import LullWire

struct PlayerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lull-player",
    abstract: "A background audio player that sleeps while its music plays.",
    discussion: """
      It plays WAV, FLAC, Ogg Opus, Ogg Vorbis and MP3 files one after the other without a gap, and such \
      streams over http. The first command starts it in the background; desktops and playerctl \
      see it as "lull".
      """,
    version: Version.text,
    subcommands: [
      AddCommand.self, PlayCommand.self, PauseCommand.self, ToggleCommand.self, NextCommand.self,
      PreviousCommand.self, SeekCommand.self, VolumeCommand.self, StatusCommand.self, ListCommand.self,
      RemoveCommand.self, ClearCommand.self, RepeatCommand.self, ShuffleCommand.self,
      ReplayGainCommand.self, StopCommand.self, QuitCommand.self, DaemonCommand.self, AlertCommand.self,
    ])
}

extension PlayerCommand {
  /// The words of other players.
  private static let habits = [
    "pl": "list", "playlist": "list", "queue": "list", "ls": "list", "ps": "status", "now": "status",
    "del": "remove", "rm": "remove", "vol": "volume", "skip": "next", "resume": "play", "exit": "quit",
    "kill": "quit", "loop": "repeat",
  ]

  /// Throws `usage` for a word that names no subcommand. The parser's own complaint names no other.
  static func check(_ words: [String]) throws(Failure) {
    guard let word = words.first == "help" ? words.dropFirst().first : words.first, !word.hasPrefix("-"),
      word != "help"
    else { return }
    let known = configuration.subcommands.flatMap {
      [$0.configuration.commandName ?? ""] + $0.configuration.aliases
    }
    guard !known.contains(word) else { return }
    throw .usage(
      Spelling.complaint(ofSubcommand: word, of: "lull-player", among: known, habits: habits))
  }
}
