import ArgumentParser
import LullSystem

/// The process: parses the command line, runs the subcommand, reports a failure in one text line.
@main
enum Entry {
  static func main() {
    do {
      var command = try PlayerCommand.parseAsRoot(RawArguments.texts())
      try command.run()
    } catch let failure as Failure {
      if let message = failure.message { StandardOutput.complain(message) }
      Process.exit(failure.exitStatus)
    } catch {
      PlayerCommand.exit(withError: error)
    }
  }
}
