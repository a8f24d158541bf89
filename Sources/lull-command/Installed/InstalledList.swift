import LullChannel
import LullSystem
import LullWire

/// The files of the installed programs, each with what the daemon says of its program.
struct InstalledList {
  /// The programs in the order of their names.
  let reports: [InstalledReport]
  /// What is no program in the folder.
  let passedOver: [InstalledFolder.PassedOver]

  init(_ reports: [InstalledReport], passedOver: [InstalledFolder.PassedOver] = []) {
    (self.reports, self.passedOver) = (reports, passedOver)
  }

  init() throws(Failure) {
    let folder = try InstalledProgram.folder()
    let contents: InstalledFolder.Contents
    do throws(SystemError) { contents = try folder.contents() } catch {
      throw .failed("\(folder.path): cannot be read (\(error.message))")
    }
    var connection = try Daemon.connectStarting(boots: false)
    let told = try Self.told(&connection)
    let reports = contents.names.map { name in
      var report = told.first { $0.name == name } ?? InstalledReport(name: name)
      do throws(Failure) {
        report.command = try InstalledProgram(name).file.command
      } catch {
        report.mistake = error.lines.joined(separator: "\n")
      }
      return report
    }
    self.init(reports, passedOver: contents.passedOver)
  }

  private static func told(_ connection: inout Connection) throws(Failure) -> [InstalledReport] {
    let items = try connection.ask(.installed()).items
    var reports: [InstalledReport]
    do { reports = try items.records(InstalledItem.self).map { InstalledReport($0) } } catch {
      throw .unreadable(error)
    }
    guard reports.contains(where: { $0.state == .running }) else { return reports }
    let programs = try connection.ask(.status(name: nil)).items.filter { $0.itemKind == .program }
    for index in reports.indices where reports[index].state == .running {
      reports[index].running = programs.first { $0[.name] == reports[index].name }?[.state]
    }
    return reports
  }
}
