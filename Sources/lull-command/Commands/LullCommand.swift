import ArgumentParser
import LullProgram

/// `lull`.
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
        name: "Start",
        subcommands: [
          RunCommand.self, AttachCommand.self, StartCommand.self, RestartCommand.self, InstallCommand.self,
          RemoveCommand.self,
        ]),
      CommandGroup(
        name: "Look",
        subcommands: [
          StatusCommand.self, ListCommand.self, WhyCommand.self, LinesCommand.self, LogCommand.self,
          WakesCommand.self,
          LogsCommand.self,
          NotificationsCommand.self, DoctorCommand.self,
        ]),
      CommandGroup(
        name: "Control",
        subcommands: [
          WakeCommand.self, SuspendCommand.self, ForegroundCommand.self, BackgroundCommand.self,
          SignalCommand.self, QuitCommand.self, StopCommand.self, PurgeCommand.self, AnswerCommand.self,
          OpenCommand.self,
          QuietCommand.self, SoundCommand.self, LockCommand.self, UnlockCommand.self,
        ]),
      CommandGroup(name: "Lull itself", subcommands: [DaemonCommand.self]),
    ])
}
