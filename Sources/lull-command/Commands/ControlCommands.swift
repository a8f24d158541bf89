import ArgumentParser

struct WakeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "wake",
    abstract: "Wake sleeping programs (what has woken one: wakes).",
    discussion: """
      A program gets the 10 s that every wake gives and sleeps again.

      Example: lull wake phone
      """)

  @OptionGroup var programs: ProgramsArgument

  func run() throws(Failure) { try StateChange.make(programs, .awake) }
}

struct SuspendCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "suspend",
    abstract: "Send programs to sleep.",
    discussion: """
      A program in the foreground is sent to the background first. It sleeps when nothing keeps it awake \
      any more. What is not asleep after a second is a failure, with the reason; it is tried again then.

      Example: lull suspend phone
      """)

  @OptionGroup var programs: ProgramsArgument

  func run() throws(Failure) { try StateChange.make(programs, .suspended) }
}

struct ForegroundCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "foreground",
    abstract: "Bring programs to the foreground, where they never sleep.",
    discussion: "Example: lull foreground phone")

  @OptionGroup var programs: ProgramsArgument

  func run() throws(Failure) { try StateChange.make(programs, .foreground) }
}

struct BackgroundCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "background",
    abstract: "Send programs to the background, where they sleep when they may.",
    discussion: "Example: lull background phone")

  @OptionGroup var programs: ProgramsArgument

  func run() throws(Failure) { try StateChange.make(programs, .background) }
}
