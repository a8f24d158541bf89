import LullChannel
import LullSystem
import LullWire

/// The files of the installed programs, each with what the daemon says of its program.
struct InstalledList {
  /// The programs in the order of their names; without a daemon the files alone.
  let reports: [InstalledReport]
  /// What is no program in the folder.
  let passedOver: [InstalledFolder.PassedOver]
  /// False when no daemon runs: then it is known of a program that it was quit, or runs on, and no more.
  let hasDaemon: Bool

  /// Makes a list.
  init(_ reports: [InstalledReport], passedOver: [InstalledFolder.PassedOver] = [], hasDaemon: Bool = true) {
    (self.reports, self.passedOver, self.hasDaemon) = (reports, passedOver, hasDaemon)
  }

  /// Reads the files and asks the daemon.
  init() throws(Failure) {
    let folder = try InstalledProgram.folder()
    let contents: InstalledFolder.Contents
    do throws(SystemError) { contents = try folder.contents() } catch {
      throw .failed("\(folder.path): cannot be read (\(error.message))")
    }
    let told = try Self.told()
    let quit = told == nil ? InstalledStandings.quit() : []
    let reports = contents.names.map { name in
      var report = told?.first { $0.name == name } ?? InstalledReport(name: name)
      if quit.contains(name) { report.state = .quit }
      if told == nil, Self.runsAlone(name) { report.running = WhyEndedReport.unmanaged }
      do throws(Failure) {
        report.command = try InstalledProgram(name).file.command
      } catch {
        report.mistake = error.lines.joined(separator: "\n")
      }
      return report
    }
    self.init(reports, passedOver: contents.passedOver, hasDaemon: told != nil)
  }

  /// True for a program that runs on since an earlier daemon.
  private static func runsAlone(_ name: String) -> Bool {
    let keeper = (try? KeeperConnection(name)) ?? nil
    return keeper.map { !$0.living().isEmpty } ?? false
  }

  /// nil without a daemon.
  private static func told() throws(Failure) -> [InstalledReport]? {
    var connection: Connection
    do throws(Failure) { connection = try Daemon.connect() } catch .noDaemon { return nil }
    let items = try connection.ask(.installed()).items
    var reports: [InstalledReport]
    do { reports = try items.read(.installed, InstalledReport.init) } catch { throw .unreadable(error) }
    guard reports.contains(where: { $0.state == .running }) else { return reports }
    let programs = try connection.ask(.status(name: nil)).items.filter { $0.itemKind == .program }
    for index in reports.indices where reports[index].state == .running {
      reports[index].running = programs.first { $0[.name] == reports[index].name }?[.state]
    }
    return reports
  }
}
