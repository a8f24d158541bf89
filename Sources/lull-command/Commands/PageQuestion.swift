import LullSystem
import LullWire

/// The questions to the daemon, to the kernel and to the program's log that `lull status NAME` answers on one
/// page.
enum PageQuestion {
  /// The entries of the journal among which the last wakes are looked for, and the wakes and the lines of the
  /// log that are shown.
  private static let entries = 200, wakes = 3, lines = 3

  static func ask(
    _ program: ProgramReport, in status: StatusReport, _ connection: inout Connection
  ) throws(Failure) -> ProgramPage {
    let items = try connection.ask(.why(name: program.name)).items
    let why: WhyReport
    do { why = try WhyReport(program, why: items) } catch { throw .unreadable(error) }
    var page = ProgramPage(program: program, why: why, remarks: status.remarks)
    if let pid = program.pids.first.flatMap({ Int32(exactly: $0) }) {
      page.command = Process.commandWords(of: pid)
      page.since = try? Process.startMoment(of: pid)
    }
    page.wakes = try lastWakes(of: program.name, since: page.since, &connection)
    page.log = lastLines(of: program.name)
    return page
  }

  private static func lastWakes(
    of name: String, since moment: Double?, _ connection: inout Connection
  ) throws(Failure) -> [EntryItem] {
    let items: [Message]
    do throws(Failure) {
      items = try connection.ask(.log(follow: false, last: entries, name: name)).items
    } catch .refused {
      // A process of a program may not read the journal.
      return []
    }
    do {
      let entries = try items.records(EntryItem.self)
      return Array(entries.filter { $0.what == "woke" && $0.at >= moment ?? 0 }.suffix(wakes))
    } catch {
      throw .unreadable(error)
    }
  }

  /// None for a program without a keeper: a log of that name is an earlier program's.
  private static func lastLines(of name: String) -> [String] {
    let folders = KeeperFolders.ofThisUser
    return Files.exists(folders.socket(of: name)) ? folders.lastLines(lines, of: name) : []
  }
}
