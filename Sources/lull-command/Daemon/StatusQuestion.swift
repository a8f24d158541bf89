import LullWire

/// What is asked of the daemon for `lull status`.
struct StatusQuestion {
  var name: String?
  var all = false

  /// The last end of the one program that was asked for and runs no more.
  func lastEnd(_ report: StatusReport) -> EndedReport? {
    name != nil && report.programs.isEmpty ? report.ended?.first : nil
  }

  /// The report; for the name of a program that has ended without programs, but with its ends.
  func ask(_ connection: inout Connection) throws(Failure) -> StatusReport {
    let items: [Message]
    do throws(Failure) {
      items = try connection.ask(.status(name: name, all: all)).items
    } catch .refused(.noSuchProgram, _) where name != nil && !all {
      items = try connection.ask(.status(name: name, all: true)).items
    }
    do throws(WireError) {
      var report = try StatusReport(items)
      let ended = try items.read(.ended, EndedReport.init)
      if all || name != nil && report.programs.isEmpty { report.ended = ended }
      return report
    } catch {
      throw .unreadable(error)
    }
  }
}
