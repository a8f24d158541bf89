import ArgumentParser
import LullWire

/// `lull why NAME [--json]`.
struct WhyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "why",
    abstract: "Tell what keeps a program awake, or why it last woke.",
    discussion: "Example: lull why phone")

  @OptionGroup var program: ProgramArgument
  @OptionGroup var json: JSONOption

  func run() throws(Failure) {
    var connection = try Daemon.connect()
    let status = try connection.ask(.status(name: program.name)).items
    let why = try connection.ask(.why(name: program.name)).items
    let report: WhyReport
    do { report = try WhyReport(status: status, why: why) } catch { throw .unreadable(error) }
    try Output.write(json.isJSON ? JSONOutput.text(report) : WhyText.text(report, .ofStandardOutput()))
  }
}
