import ArgumentParser
import LullWire

/// `lull why NAME [--json]`.
struct WhyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "why",
    abstract: "Tell what keeps a program awake, why it last woke, or how it ended.",
    discussion: """
      Of a program that does not run: when, how and why it ended, and when it is started again.

      Example: lull why phone
      """)

  @OptionGroup var program: ProgramArgument
  @OptionGroup var json: JSONOption

  func run() throws(Failure) {
    var connection = try Daemon.connect()
    let status: [Message]
    do throws(Failure) {
      status = try connection.ask(.status(name: program.name)).items
    } catch .refused(.noSuchProgram, _) {
      return try tellEnd(connection.ask(.why(name: program.name)).items)
    }
    let why = try connection.ask(.why(name: program.name)).items
    let report: WhyReport
    do { report = try WhyReport(status: status, why: why) } catch { throw .unreadable(error) }
    try Output.write(json.isJSON ? JSONOutput.text(report) : WhyText.text(report, .ofStandardOutput()))
  }

  private func tellEnd(_ why: [Message]) throws(Failure) {
    let report: WhyEndedReport
    do { report = try WhyEndedReport(name: program.name, why) } catch { throw .unreadable(error) }
    let next = KeptPrograms.hint(program.name)
    try Output.write(
      json.isJSON
        ? JSONOutput.text(report) : WhyText.text(report, next: next, .ofStandardOutput()))
  }
}
