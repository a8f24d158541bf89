import ArgumentParser
import LullWire

/// What a user allows or denies a program.
enum Permitted: String, ExpressibleByArgument, CaseIterable {
  case record
}

struct AllowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "allow",
    abstract: "Let a program record.",
    discussion: """
      It is remembered by the name of the program, also after a restart, and no notice says any more that \
      the program records in the background.

      Example: lull allow phone record
      """)

  @OptionGroup var permission: PermissionArguments

  func run() throws(Failure) { try permission.say(.allowed) }
}

struct DenyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "deny",
    abstract: "Let a program record no longer.",
    discussion: """
      What it records through Lull, also by the ALSA device "lull", is refused, and what it records already \
      goes on without sound. What it records from a sound server or from another ALSA device goes on: \
      docs/SOUND.md says how to deny that. It is remembered by the name of the program, also after a restart.

      Example: lull deny phone record
      """)

  @OptionGroup var permission: PermissionArguments

  func run() throws(Failure) { try permission.say(.denied) }
}

struct PermissionArguments: ParsableArguments {
  @Argument(help: "The program; it need not run.", completion: Completions.programs)
  var name: String
  @Argument(help: "record: capture sound.")
  var what: Permitted

  func say(_ permission: RecordingPermission) throws(Failure) {
    guard ProgramName.isValid(name) else { throw .usage("\(name): must be \(ProgramName.expected)") }
    _ = try Daemon.ask(.recording(RecordingEntry(name, permission)))
    let programs = try Daemon.ask(.status(name: nil)).records(ProgramItem.self)
    let words = permission == .allowed ? "may record" : "may not record"
    // A name with a slip of the pen is remembered as well.
    let runs = programs.contains { $0.name == name } ? "" : "; no program of this name runs now"
    try Output.say("\(name): \(words)\(runs)\n")
  }
}
