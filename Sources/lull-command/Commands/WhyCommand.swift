import ArgumentParser
import LullWire

struct WhyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "why",
    abstract: "Tell what keeps a program awake, why it last woke, or how it ended.",
    discussion: """
      Of a program that does not run: when, how and why it ended, and when it is started again.

      --machine tells for which program a suspended machine is resumed next: for a keep-alive, for the own \
      timers of a program with connections or a wake that it asked for, for paths that are kept open, for a \
      scheduled notification, or for data whose wake is put off. All else waits until the machine is awake.

      Example: lull why phone
               lull why --machine
      """)

  @Argument(help: "The program's name, as in \"lull status\".", completion: Completions.programs)
  var name: String?
  @Flag(help: "Tell what resumes a suspended machine next, and when.")
  var machine = false
  @OptionGroup var json: JSONOption

  func validate() throws {
    guard (name == nil) == machine else { throw ValidationError("NAME or --machine, one of them") }
  }

  func run() throws(Failure) {
    if let name { return try ProgramQuestion(name: name, json: json).ask() }
    let ok = try Daemon.ask(.alarm).ok
    let report = try readable(ResumeReport(ok))
    try json.write(report) { ResumeText.text(report, $0) }
  }
}

private struct ProgramQuestion {
  let name: String
  let json: JSONOption

  func ask() throws(Failure) {
    var connection = try Daemon.connectStarting(boots: false)
    // The race: a program that is being started runs a moment later.
    while try !told(&connection) { Daemon.pause() }
  }

  /// False when the answer has changed between two questions.
  private func told(_ connection: inout Connection) throws(Failure) -> Bool {
    let status: [Message]
    do throws(Failure) {
      status = try connection.ask(.status(name: name)).items
    } catch .refused(.noSuchProgram, _) {
      return try tellEnd(connection.ask(.why(name: name)).items)
    }
    let why: [Message]
    do throws(Failure) { why = try connection.ask(.why(name: name)).items } catch {
      if case .refused(.noSuchProgram, _) = error { return false }
      throw error
    }
    guard !WhyEndedReport.isOne(why) else { return false }
    let report = try readable(WhyReport(status: status, why: why))
    try json.write(report) { WhyText.text(report, $0) }
    return true
  }

  private func tellEnd(_ why: [Message]) throws(Failure) -> Bool {
    guard WhyEndedReport.isOne(why) || why.allSatisfy({ $0.itemKind == .remark }) else { return false }
    var report = try readable(WhyEndedReport(name: name, why))
    if InstalledProgram.holds(name) {
      do throws(Failure) { _ = try InstalledProgram(name) } catch {
        report.noteMistakes(error.lines)
      }
    }
    let next = DetachedPrograms.hint(name)
    try json.write(report) { WhyText.text(report, next: next, $0) }
    return true
  }
}
