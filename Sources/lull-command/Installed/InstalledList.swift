import LullChannel
import LullSystem
import LullWire

/// The files of the installed programs, each with what the daemon says of its program.
struct InstalledList {
  /// The programs in the order of their names; without a daemon the files alone.
  let reports: [InstalledReport]
  /// What is no program in the folder.
  let passedOver: [InstalledFolder.PassedOver]
  /// False when no daemon runs: then no states are known.
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
    let reports = contents.names.map { name in
      var report = told?.first { $0.name == name } ?? InstalledReport(name: name)
      do throws(Failure) {
        report.command = try InstalledProgram(name).file.command
      } catch {
        report.mistake = error.lines.joined(separator: "\n")
      }
      return report
    }
    self.init(reports, passedOver: contents.passedOver, hasDaemon: told != nil)
  }

  /// nil without a daemon.
  private static func told() throws(Failure) -> [InstalledReport]? {
    do throws(Failure) {
      return try Daemon.ask(.installed()) { (items) throws(WireError) in
        try items.read(.installed, InstalledReport.init)
      }
    } catch .noDaemon {
      return nil
    }
  }
}
