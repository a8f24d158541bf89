import ArgumentParser
import LullSystem

/// The process: parses the command line, runs the command, reports a failure in one line.
@main
enum Entry {
  static func main() {
    do {
      var command = try LullCommand.parseAsRoot()
      try command.run()
    } catch let failure as Failure {
      if let message = failure.message { report(message) }
      Process.exit(failure.exitStatus)
    } catch {
      LullCommand.exit(withError: error)
    }
  }

  private static func report(_ message: String) {
    // When standard error is closed there is nobody left to tell; the exit status still says it.
    try? StandardStreams.write(Array("lull: \(message)\n".utf8), to: StandardStreams.error)
  }
}
