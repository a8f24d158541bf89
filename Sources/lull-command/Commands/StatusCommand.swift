import ArgumentParser
import LullSystem
import LullWire

/// `lull status [NAME] [--all] [--quiet] [--watch] [--json]`.
struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show the programs: their states, what keeps them awake, their lines and wakes.",
    discussion: """
      The table is as wide as the terminal, or as COLUMNS says, and 80 characters without either; what \
      matters least is left out first. --json has everything.

      WAKES (!): it was woken more often than 15 times within 5 min. "lull wakes NAME" sums up by what.

      --watch shows it anew when something happens, at most four times a second, until Ctrl-C. In between it \
      asks lulld nothing: the times are counted here, in seconds for a minute and then in minutes and hours, \
      and never wake a machine that is suspended. With --json it writes an object per line instead.

      --all adds the last 64 ends, which outlive lulld. NAME of one that has ended \
      tells how, with exit status 1.

      Example: lull status --watch
               lull status --quiet | xargs -n 1 lull why
               lull status --json | jq '.programs[].state'
      """)

  @OptionGroup var program: OptionalProgramArgument
  @Flag(name: [.customLong("all"), .customShort("a")], help: "Also what has ended.")
  var isAll = false
  @Flag(name: [.customLong("quiet"), .customShort("q")], help: "Only the names, one per line.")
  var isQuiet = false
  @Flag(name: [.customLong("watch"), .customShort("w")], help: "Go on showing it until interrupted.")
  var isWatching = false
  @OptionGroup var json: JSONOption

  func validate() throws {
    guard !isQuiet || !(isWatching || json.isJSON) else {
      throw ValidationError("--quiet goes neither with --watch nor with --json")
    }
  }

  private var question: StatusQuestion { StatusQuestion(name: program.name, all: isAll) }

  func run() throws(Failure) {
    guard !isWatching else {
      let status = try StatusWatch.run(question, isJSON: json.isJSON)
      guard status == 0 else { throw .status(status) }
      return
    }
    var connection = try Daemon.connect()
    let report = try question.ask(&connection)
    try Output.write(text(report))
    if question.lastEnd(report) != nil { throw .status(1) }
  }

  private func text(_ report: StatusReport) throws(Failure) -> String {
    if json.isJSON { return try JSONOutput.text(report) }
    if isQuiet { return StatusText.names(report, all: isAll) }
    let style = Style.ofStandardOutput()
    return question.lastEnd(report).map { EndedText.text($0, style) } ?? StatusText.text(report, style)
  }
}
