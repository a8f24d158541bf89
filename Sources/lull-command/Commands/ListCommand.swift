import ArgumentParser
import LullChannel
import LullSystem
import LullWire

/// `lull list [--json]`.
struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Show the installed programs.",
    discussion: """
      Each with its state, what it is started for next, and its command; files with a mistake with the line \
      that is wrong. Programs that were not installed are in "lull status".

      Example: lull list
      """)

  @OptionGroup var json: JSONOption

  func run() throws(Failure) {
    let reports = try Self.reports()
    try Output.write(
      json.isJSON ? JSONOutput.text(reports) : InstalledText.text(reports, .ofStandardOutput()))
  }

  /// The files, each with what the daemon says of its program; without a daemon the files alone.
  static func reports() throws(Failure) -> [InstalledReport] {
    let folder = try InstalledProgram.folder()
    let names: [String]
    do { names = try folder.names() } catch { throw .failed("\(folder.path): cannot be read (\(error))") }
    let told = try told()
    return names.map { name in
      var report = told.first { $0.name == name } ?? InstalledReport(name: name)
      do throws(Failure) {
        report.command = try InstalledProgram(name).file.command
      } catch {
        report.mistake = error.message
      }
      return report
    }
  }

  private static func told() throws(Failure) -> [InstalledReport] {
    do throws(Failure) {
      return try Daemon.ask(.installed()) { (items) throws(WireError) in
        try items.read(.installed, InstalledReport.init)
      }
    } catch .noDaemon {
      return []
    }
  }
}
