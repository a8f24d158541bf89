import ArgumentParser

struct QuitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "quit",
    abstract: "End programs.",
    discussion: """
      A command that sleeps is woken. All its processes are sent SIGTERM, and it has 5 s to end: a phone \
      unregisters in them. A program on the library is told when it is awake, and killed at once when it \
      sleeps. What has not ended after 5 s is killed. The end of each is printed.
      A program of "lull run --detach" can be started again by "lull start", and so can an installed one, \
      which stays ended until then.

      Example: lull quit phone
               lull quit --now phone music
               lull quit --all
      """)

  @OptionGroup var programs: ProgramsArgument
  @OptionGroup var time: EndingTime

  func run() throws(Failure) { try Ending.end(programs, .quit(now: time.isNow)) }
}

struct StopCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stop",
    abstract: "End programs, as \"lull quit\" does.",
    discussion: """
      The same as "lull quit": after either, "lull start NAME" starts an installed program or one of \
      "lull run --detach" again.

      Example: lull stop phone
      """)

  @OptionGroup var programs: ProgramsArgument
  @OptionGroup var time: EndingTime

  func run() throws(Failure) { try Ending.end(programs, .quit(now: time.isNow)) }
}

struct EndingTime: ParsableArguments {
  @Flag(name: .customLong("now"), help: "Kill at once, without the 5 s.")
  var isNow = false
}
