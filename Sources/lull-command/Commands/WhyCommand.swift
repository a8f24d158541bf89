import ArgumentParser
import LullChannel
import LullWire

/// `lull why NAME [--json]`.
struct WhyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "why",
    abstract: "Tell what keeps a program awake, why it last woke, or how it ended.",
    discussion: """
      Of a program that does not run: when, how and why it ended, and when it is started again; without a \
      daemon its last end.

      Example: lull why phone
      """)

  @OptionGroup var program: ProgramArgument
  @OptionGroup var json: JSONOption

  func run() throws(Failure) {
    var connection: Connection
    do throws(Failure) { connection = try Daemon.connect() } catch .noDaemon { return try tellStoredEnd() }
    // The race: a program that is being started runs a moment later.
    while try !told(&connection) { Daemon.pause() }
  }

  private func tellStoredEnd() throws(Failure) {
    guard try !FormerKeeper.isThere(program.name), let end = EndedFile.lastEnd(of: program.name) else {
      throw .noDaemon
    }
    Output.complain("no daemon runs; this is the last end that is on disk")
    _ = try tellEnd([end])
  }

  /// Tells what is so. False when that has changed between two questions.
  private func told(_ connection: inout Connection) throws(Failure) -> Bool {
    let status: [Message]
    do throws(Failure) {
      status = try connection.ask(.status(name: program.name)).items
    } catch .refused(.noSuchProgram, _) {
      return try tellEnd(ended(&connection))
    }
    let why: [Message]
    do throws(Failure) { why = try connection.ask(.why(name: program.name)).items } catch {
      if case .refused(.noSuchProgram, _) = error { return false }
      throw error
    }
    guard !WhyEndedReport.isOne(why) else { return false }
    let report: WhyReport
    do { report = try WhyReport(status: status, why: why) } catch { throw .unreadable(error) }
    try Output.write(json.isJSON ? JSONOutput.text(report) : WhyText.text(report, .ofStandardOutput()))
    return true
  }

  /// What the daemon knows of a program that does not run. One that runs on without this daemon need not be
  /// known to it.
  private func ended(_ connection: inout Connection) throws(Failure) -> [Message] {
    do throws(Failure) {
      return try connection.ask(.why(name: program.name)).items
    } catch .refused(.noSuchProgram, let text) {
      guard try FormerKeeper.isThere(program.name) else { throw .refused(.noSuchProgram, text) }
      return []
    }
  }

  private func tellEnd(_ why: [Message]) throws(Failure) -> Bool {
    guard WhyEndedReport.isOne(why) || why.allSatisfy({ $0.itemKind == .remark }) else { return false }
    var report: WhyEndedReport
    do { report = try WhyEndedReport(name: program.name, why) } catch { throw .unreadable(error) }
    if report.installed?.state != .starting, try FormerKeeper.isThere(program.name) {
      report.runsAlone()
    } else if InstalledProgram.holds(program.name) {
      do throws(Failure) { _ = try InstalledProgram(program.name) } catch {
        report.noteMistakes(error.lines)
      }
    }
    let next = KeptPrograms.hint(program.name)
    try Output.write(
      json.isJSON
        ? JSONOutput.text(report) : WhyText.text(report, next: next, .ofStandardOutput()))
    return true
  }
}
