import ArgumentParser
import LullProgram

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
      ReplayGainCommand.self, StopCommand.self, QuitCommand.self, DaemonCommand.self,
    ])
}
