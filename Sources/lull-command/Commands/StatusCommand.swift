import ArgumentParser
import LullWire

/// `lull status [NAME] [--json]`.
struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show the programs: their states, what keeps them awake, their lines and wakes.",
    discussion: "Example: lull status --json | jq '.programs[].state'")

  @OptionGroup var program: OptionalProgramArgument
  @OptionGroup var json: JSONOption

  func run() throws(Failure) {
    let report = try Daemon.ask(.status(name: program.name), read: StatusReport.init)
    try Output.write(json.isJSON ? JSONOutput.text(report) : StatusText.text(report, .ofStandardOutput()))
  }
}
