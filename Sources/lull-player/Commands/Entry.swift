import ArgumentParser
import LullSystem

/// The process: parses the command line, runs the subcommand, reports a failure in one text line.
@main
enum Entry {
  static func main() {
    StandardStreams.reserve()
    do {
      let words = RawArguments.texts()
      try PlayerCommand.check(words)
      var command = try PlayerCommand.parseAsRoot(words)
      try command.run()
    } catch let failure as Failure {
      exit(failure)
    } catch {
      if PlayerCommand.exitCode(for: error).isSuccess { printAnswer(PlayerCommand.fullMessage(for: error)) }
      PlayerCommand.exit(withError: error)
    }
  }

  /// Prints what `--help` or `--version` asked for. The parser itself would not tell a failure.
  private static func printAnswer(_ text: String) -> Never {
    do {
      try StandardOutput.write(text + "\n")
      Process.exit(0)
    } catch {
      exit(error)
    }
  }

  private static func exit(_ failure: Failure) -> Never {
    if let message = failure.message { StandardOutput.complain(message) }
    Process.exit(failure.exitStatus)
  }
}
