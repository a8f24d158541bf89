import ArgumentParser
import LullSystem
import LullWire

struct WakeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "wake",
    abstract: "Wake sleeping programs (what has woken one: wakes).",
    discussion: """
      A program gets the 10 s that every wake gives and sleeps again.

      Example: lull wake phone
      """)

  @OptionGroup var programs: ProgramsArgument

  func run() throws(Failure) { try ProgramChange.make(programs, .awake) }
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

  func run() throws(Failure) { try ProgramChange.make(programs, .suspended) }
}

struct ForegroundCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "foreground",
    abstract: "Bring programs to the foreground, where they never sleep.",
    discussion: "Example: lull foreground phone")

  @OptionGroup var programs: ProgramsArgument

  func run() throws(Failure) { try ProgramChange.make(programs, .foreground) }
}

struct BackgroundCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "background",
    abstract: "Send programs to the background, where they sleep when they may.",
    discussion: "Example: lull background phone")

  @OptionGroup var programs: ProgramsArgument

  func run() throws(Failure) { try ProgramChange.make(programs, .background) }
}

struct SignalCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "signal",
    abstract: "Send a program a signal, and wake it for that.",
    discussion: """
      A signal that "kill" sends to a sleeping program waits until something else wakes it, if the program \
      handles the signal; KILL, and a fatal one that it does not handle, end it at once. This \
      command wakes it, for a second at least and until it has taken the signal.
      A command gets it with all processes of its process group. After HUP, INT, QUIT or TERM it stays awake \
      for a minute, because it may take leave of its servers.

      Example: lull signal phone USR1
               lull signal server HUP
               lull signal server RTMIN+3
      """)

  @OptionGroup var program: ProgramArgument

  @Argument(
    help: "Its name, with or without SIG, or its number from 1 to 64.", completion: Completions.signals)
  var signal: String

  private var number: Int32 {
    get throws(ValidationError) {
      if let number = Signal.number(named: signal) { return number }
      throw ValidationError("no signal \"\(Printable.text(signal))\"; \"kill -l\" lists them")
    }
  }

  func validate() throws { _ = try number }

  func run() throws {
    // It is not to be sent twice.
    var connection = try Daemon.connect()
    _ = try connection.ask(.signal(name: program.name, number: number))
  }
}
