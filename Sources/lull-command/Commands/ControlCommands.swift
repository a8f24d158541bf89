import ArgumentParser
import LullWire

/// The common part of `wake`, `suspend`, `foreground`, `background` and `quit`: one request, one new state.
private func control(_ request: Request, _ name: String) throws(Failure) {
  let ok = try Daemon.ask(request).ok
  guard let state = ok[.state] else { throw .unreadable(.missingField(Key.state.rawValue)) }
  try Output.write("\(Printable.text(name)): \(Printable.text(state))\n")
}

/// `lull wake NAME`.
struct WakeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "wake",
    abstract: "Wake a sleeping program.",
    discussion: """
      It gets the 10 s that every wake gives and sleeps again.

      Example: lull wake phone
      """)

  @OptionGroup var program: ProgramArgument

  func run() throws(Failure) { try control(.wake(name: program.name), program.name) }
}

/// `lull suspend NAME`.
struct SuspendCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "suspend",
    abstract: "Send a program to sleep.",
    discussion: """
      A program in the foreground is sent to the background first. It sleeps when nothing keeps it awake \
      any more; "lull why NAME" tells what does.

      Example: lull suspend phone
      """)

  @OptionGroup var program: ProgramArgument

  func run() throws(Failure) { try control(.suspend(name: program.name), program.name) }
}

/// `lull foreground NAME`.
struct ForegroundCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "foreground",
    abstract: "Bring a program to the foreground, where it never sleeps.",
    discussion: "Example: lull foreground phone")

  @OptionGroup var program: ProgramArgument

  func run() throws(Failure) { try control(.foreground(name: program.name), program.name) }
}

/// `lull background NAME`.
struct BackgroundCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "background",
    abstract: "Send a program to the background, where it sleeps when it may.",
    discussion: "Example: lull background phone")

  @OptionGroup var program: ProgramArgument

  func run() throws(Failure) { try control(.background(name: program.name), program.name) }
}

/// `lull quit NAME`.
struct QuitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "quit",
    abstract: "End a program for good: it is not launched again.",
    discussion: """
      An awake program is told and has 5 s to end; a sleeping one is killed at once.

      Example: lull quit phone
      """)

  @OptionGroup var program: ProgramArgument

  func run() throws(Failure) { try control(.quit(name: program.name), program.name) }
}
