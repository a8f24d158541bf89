import ArgumentParser
import LullSystem

/// The process: parses the command line, runs the subcommand, reports a failure in one text line.
@main
enum Entry {
  static func main() {
    do {
      var command = try LullCommand.parseAsRoot()
      // The doctor reports leftover programs itself, and unfreezes them with --thaw.
      if !(command is DoctorCommand) { Leftover.releaseAtStart() }
      try command.run()
    } catch let failure as Failure {
      // When standard error is closed, the exit status still tells the failure.
      if let message = failure.message { Output.complain(message) }
      Process.exit(failure.exitStatus)
    } catch {
      LullCommand.exit(withError: error)
    }
  }
}
