import ArgumentParser
import LullWire

/// `lull why NAME`.
struct WhyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "why",
    abstract: "Tell what keeps a program awake, or why it last woke.",
    discussion: "Example: lull why phone")

  @OptionGroup var program: ProgramArgument

  func run() throws(Failure) {
    var connection = try Daemon.connect()
    let status = try connection.ask(.status(name: program.name)).items
    let why = try connection.ask(.why(name: program.name)).items
    let report: WhyReport
    do { report = try WhyReport(status: status, why: why) } catch { throw .unreadable(error) }
    try Output.write(WhyText.text(report, .ofStandardOutput()))
  }
}
