import ArgumentParser
import LullProgram

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
      CommandGroup(
        name: "Sound and desktop",
        subcommands: [
          SoundCommand.self, QuietCommand.self, NotificationsCommand.self, AnswerCommand.self,
          OpenCommand.self, LockCommand.self, UnlockCommand.self,
        ]),
      CommandGroup(name: "Lull itself", subcommands: [DaemonCommand.self, DoctorCommand.self]),
    ])
}
