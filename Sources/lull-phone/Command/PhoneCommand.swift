import ArgumentParser
import LullProgram
import LullSystem
import LullWire

@main struct PhoneCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lull-phone",
    abstract: "A VoIP client that sleeps until its server calls.",
    discussion: """
      lull-phone HOST PORT waits for calls; the other options of it are told by: lull-phone help connect
      """,
    version: Version.text, subcommands: [ConnectCommand.self, CallCommand.self],
    defaultSubcommand: ConnectCommand.self)

  static func main() {
    StandardStreams.reserve()
    do {
      var command = try parseAsRoot()
      try command.run()
    } catch {
      if exitCode(for: error).isSuccess { printAnswer(fullMessage(for: error)) }
      let text = Printable.lines(fullMessage(for: error))
      if !text.isEmpty { try? StandardStreams.write(Array("\(text)\n".utf8), to: StandardStreams.error) }
      Process.exit(exitCode(for: error).rawValue)
    }
  }

  /// Prints what `--help` or `--version` asked for. The parser itself would not tell a failure.
  private static func printAnswer(_ text: String) -> Never {
    do {
      if !text.isEmpty { try StandardStreams.write(Array("\(text)\n".utf8), to: StandardStreams.output) }
      Process.exit(0)
    } catch {
      exit(withError: refuse("the output cannot be written: \(error.message)", .failure))
    }
  }

  static func check(name: String) throws(ExitCode) {
    guard !ProgramName.isValid(name) else { return }
    throw refuse("--name \(Printable.text(name)): use letters, digits, '.', '_' and '-'", .validationFailure)
  }

  static func refuse(_ text: String, _ status: ExitCode) -> ExitCode {
    try? StandardStreams.write(Array("lull-phone: \(text)\n".utf8), to: StandardStreams.error)
    return status
  }
}
