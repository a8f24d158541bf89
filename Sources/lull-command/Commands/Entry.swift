import ArgumentParser
import LullChannel
import LullSystem

@main
enum Entry {
  static func main() {
    StandardStreams.reserve()
    if KeepProcess.isAskedFor { KeepProcess.run() }
    do {
      try SubcommandWords.check(Array(CommandLine.arguments.dropFirst()))
      var command = try LullCommand.parseAsRoot()
      // The doctor reports leftover programs itself, and unfreezes them with --thaw.
      if !(command is DoctorCommand) { Leftover.releaseAtStart() }
      for problem in DirectoryVariables.problems() { Output.complain(problem) }
      try command.run()
    } catch let failure as Failure {
      exit(failure)
    } catch {
      if LullCommand.exitCode(for: error).isSuccess { printAnswer(LullCommand.fullMessage(for: error)) }
      LullCommand.end(error)
    }
  }

  /// Prints what `--help`, `--version` or a shell's completion asked for. The parser itself would not tell a
  /// failure.
  private static func printAnswer(_ text: String) -> Never {
    do {
      try Output.write(text + "\n")
      Process.exit(0)
    } catch {
      exit(error)
    }
  }

  private static func exit(_ failure: Failure) -> Never {
    // When standard error is closed, the exit status still tells the failure.
    for line in failure.lines { Output.complain(line) }
    Process.exit(failure.exitStatus)
  }
}
