import ArgumentParser

struct DaemonCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "daemon",
    abstract: "Start, show, end or replace the daemon itself.",
    discussion: """
      The daemon is two processes, lulld and lull-guard. The first "lull run" starts them; as a service they \
      run from the start of the machine or of the session.

      Example: lull daemon status
      """,
    subcommands: [
      DaemonStartCommand.self, DaemonStatusCommand.self, DaemonStopCommand.self, DaemonUpgradeCommand.self,
    ])
}
