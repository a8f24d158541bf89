import ArgumentParser
import LullChannel
import LullSystem
import LullWire

struct RemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "End installed programs, and have them started no more.",
    discussion: """
      A program is ended as by "lull stop", and then its file is removed. When the first fails the file \
      stays, and when the second fails the program stays ended: say it again. Its log and what it keeps \
      itself stay.

      Example: lull remove phone
      """)

  @Argument(help: "The programs' names.", completion: Completions.installed)
  var names: [String]
  @Flag(help: "Let a program that runs go on; it is not started again when it ends.")
  var keepRunning = false

  func run() throws(Failure) { try KeptPrograms.each(names) { (name) throws(Failure) in try remove(name) } }

  private func remove(_ name: String) throws(Failure) {
    let folder = try InstalledProgram.folder()
    guard folder.holds(name) else { throw KeptPrograms.uninstalled(name, folder) }
    if !keepRunning { try end(name) }
    do {
      try Files.unlink(folder.path(of: name))
    } catch {
      throw .failed("\(name) is still installed: its file cannot be removed (\(error))")
    }
    // A daemon that runs learns it now; another one at its start.
    _ = try? Daemon.ask(.installed())
    try Output.say("\(name) is removed\n")
  }

  private func end(_ name: String) throws(Failure) {
    var connection = try Daemon.connectStarting(boots: false)
    if try KeptPrograms.runs(name, &connection) {
      do throws(Failure) {
        try Ending.end([name], isAll: false, .quit(now: false), on: connection.next())
      } catch {
        // The race: somebody else has ended it meanwhile.
        guard try !KeptPrograms.runs(name, &connection) else { throw error }
      }
    }
    // One that waits for its next start must not be started any more.
    _ = try? connection.overRestart { (connection) throws(Failure) in
      try connection.ask(.quit(name: name, now: false))
    }
  }
}
