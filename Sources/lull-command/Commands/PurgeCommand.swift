import ArgumentParser

struct PurgeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "purge",
    abstract: "End programs as if memory were short.",
    discussion: """
      A program that sleeps is killed without a word; one that runs is asked to end, and killed after 5 s. \
      It is started again when it is needed. Only a program that can come back is purged: one that is on the \
      library or has --keep-lines, and is installed, or one with --purgeable.

      Example: lull purge phone
      """)

  @OptionGroup var programs: ProgramsArgument

  func run() throws(Failure) { try Ending.end(programs, .purge) }
}
