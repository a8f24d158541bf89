import ArgumentParser

struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Show the installed programs, also those that do not run (those that run: status).",
    discussion: """
      Each with its state (that of "lull status" when it runs), what starts it next when it does not run, \
      and its command; files with a mistake with the line that is wrong. Programs that were not installed \
      are in "lull status".

      Example: lull list
      """)

  @OptionGroup var json: JSONOption

  func run() throws(Failure) {
    let list = try InstalledList()
    try Output.write(
      json.isJSON ? JSONOutput.text(list.reports) : InstalledText.text(list, .ofStandardOutput()))
  }
}
