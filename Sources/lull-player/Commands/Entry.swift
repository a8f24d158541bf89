import ArgumentParser
import LullPlayer
import LullProgram
import LullSystem
import LullWire

@main
enum Entry {
  static func main() {
    StandardStreams.reserve()
    do {
      let words = RawArguments.texts()
      try PlayerCommand.check(words)
      var command = try PlayerCommand.parseAsRoot(words)
      try command.run()
    } catch let failure as Failure {
      exit(failure)
    } catch {
      end(error)
    }
  }

  /// Ends the process as `exit(withError:)` does, with a complaint that begins as all others do. The parser
  /// itself would not tell that what `--help` asks for cannot be printed.
  private static func end(_ error: any Error) -> Never {
    let message = PlayerCommand.fullMessage(for: error)
    if PlayerCommand.exitCode(for: error).isSuccess {
      do { try StandardOutput.write(message + "\n") } catch { exit(error) }
      Process.exit(0)
    }
    let (lines, mark) = (Printable.lines(message), "Error: ")
    let text = lines.hasPrefix(mark) ? "lull-player: \(lines.dropFirst(mark.count))" : lines
    // When standard error is closed, the exit status still tells the failure.
    try? StandardStreams.write(Array("\(text)\n".utf8), to: StandardStreams.error)
    Process.exit(PlayerCommand.exitCode(for: error).rawValue)
  }

  private static func exit(_ failure: Failure) -> Never {
    if let message = failure.message { StandardOutput.complain(message) }
    Process.exit(failure.exitStatus)
  }
}

/// A name that is not UTF-8 becomes its `file:` URL: as text of Swift it would lose its bytes.
enum RawArguments {
  static func texts() -> [String] {
    (1..<max(1, Int(CommandLine.argc))).compactMap { place in
      guard let start = unsafe CommandLine.unsafeArgv[place] else { return nil }
      let count = (0...).first { unsafe start[$0] == 0 } ?? 0
      let bytes = (0..<count).map { unsafe UInt8(bitPattern: start[$0]) }
      return String(validating: bytes, as: UTF8.self)
        ?? FileURL.text(path: (try? Files.absolutePath(bytes)) ?? bytes)
    }
  }
}

struct PlayerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lull-player", abstract: "A background audio player that sleeps while its music plays.",
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
    throw .usage(Spelling.complaint(ofSubcommand: word, of: "lull-player", among: known, habits: habits))
  }
}
