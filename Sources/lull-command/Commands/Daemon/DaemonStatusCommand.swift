import ArgumentParser
import LullChannel
import LullWire

struct DaemonStatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show the daemon: its processes, what started it, how programs sleep.",
    discussion: """
      Exit status 1 when no daemon runs. The programs are shown by "lull status".

      Example: lull daemon status
               lull daemon status --json | jq .pid
      """)

  @OptionGroup var json: JSONOption

  func run() throws(Failure) {
    var connection = try Daemon.connect()
    let report = DaemonStateReport(
      try StatusQuestion().ask(&connection), socket: RuntimeDirectory.controlSocket())
    try Output.write(json.isJSON ? JSONOutput.text(report) : DaemonStateText.text(report))
  }
}
