import ArgumentParser
import LullProgram
import LullSystem

@main struct PhoneCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lull-phone",
    abstract: "A VoIP client that sleeps until its server calls.",
    discussion: """
      lull-phone HOST PORT waits for calls; the other options of it are told by: lull-phone help connect
      """,
    version: Version.text, subcommands: [ConnectCommand.self, CallCommand.self],
    defaultSubcommand: ConnectCommand.self)

  /// Writes a text line to standard error, and returns the exit status.
  static func refuse(_ text: String, _ status: ExitCode) -> ExitCode {
    try? StandardStreams.write(Array("lull-phone: \(text)\n".utf8), to: StandardStreams.error)
    return status
  }
}
