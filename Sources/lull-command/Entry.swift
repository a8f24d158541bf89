import ArgumentParser
import LullSystem

/// The process: parses the command line, runs the command, reports a failure in one line.
@main
enum Entry {
  static func main() {
    do {
      var command = try LullCommand.parseAsRoot()
      // The doctor says what is left, or lets it go on and says which.
      if !(command is DoctorCommand) { Leftover.releaseAtStart() }
      try command.run()
    } catch let failure as Failure {
      // When standard error is closed, the exit status still says it.
      if let message = failure.message { Output.complain(message) }
      Process.exit(failure.exitStatus)
    } catch {
      LullCommand.exit(withError: error)
    }
  }
}
