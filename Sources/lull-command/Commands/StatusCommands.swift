import ArgumentParser
import LullSystem
import LullWire

struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show the programs that run, or all about one of them (those installed: list).",
    discussion: """
      Without NAME a table. It is as wide as the terminal, or as COLUMNS says, and 80 characters without \
      either; what matters least is left out first. --json has everything.
      STATE: active or inactive (in the foreground), background (awake), suspended (asleep). AWAKE BECAUSE: \
      what keeps it awake, and for how long; a word such as not-idle is why it could not sleep. LAST WAKE: \
      when, by what and by whom. ASLEEP: for how much of its time. LINES: its connections. WAKES: how often \
      it was woken; (!): more often than 15 times within 5 min. KEEP-ALIVE, OWN TIMER: when it is woken for \
      them ("late": it is due, and waits). MEMORY: now, and before its last sleep gave some back. CPU: in \
      all, and between its last two sleeps.

      With NAME a page about one program: what "lull why" says, its process and command, since when it runs, \
      its modes, lines and last wakes, and the last lines of its log. NAME of one that has ended tells how, \
      with exit status 1. --all adds the last 64 ends, which outlive lulld. Where no program runs, what \
      ended in the last 10 minutes is named without it.

      --watch shows the table anew when something happens, at most four times a second, until "q" or Ctrl-C. \
      In between it asks lulld nothing: the times are counted here, in seconds for a minute and then in \
      minutes and hours, and never wake a machine that is suspended. With --json it writes an object per \
      line instead.

      Example: lull status phone
               lull status --watch
               lull status --quiet | xargs -n 1 lull why
               lull status --json | jq '.programs[].state'
      """)

  @OptionGroup var program: OptionalProgramArgument
  @Flag(name: [.customLong("all"), .customShort("a")], help: "Also what has ended.")
  var isAll = false
  @Flag(name: [.customLong("quiet"), .customShort("q")], help: "Only the names, one per line.")
  var isQuiet = false
  @Flag(name: [.customLong("watch"), .customShort("w")], help: "Go on showing it until \"q\" or Ctrl-C.")
  var isWatching = false
  @OptionGroup var json: JSONOption

  func validate() throws {
    guard !isQuiet || !(isWatching || json.isJSON) else {
      throw ValidationError("--quiet goes neither with --watch nor with --json")
    }
  }

  private var hasPage: Bool { program.name != nil && !isAll && !isQuiet && !json.isJSON }
  private var question: StatusQuestion { StatusQuestion(name: program.name, all: isAll) }

  func run() throws(Failure) {
    guard !isWatching else {
      let status = try StatusWatch.run(question, isJSON: json.isJSON)
      guard status == 0 else { throw .status(status) }
      return
    }
    var connection = try Daemon.connect()
    let report = try question.ask(&connection)
    if hasPage, let running = report.programs.first {
      let page = try PageQuestion.ask(running, in: report, &connection)
      return try Output.write(PageText.text(page, .ofStandardOutput()))
    }
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

/// The questions to the daemon, to the kernel and to the program's log that `lull status NAME` answers on one
/// page.
enum PageQuestion {
  /// The entries of the journal among which the last wakes are looked for, and the wakes and the lines of the
  /// log that are shown.
  private static let entries = 200, wakes = 3, lines = 3

  static func ask(
    _ program: ProgramReport, in status: StatusReport, _ connection: inout Connection
  ) throws(Failure) -> ProgramPage {
    let items = try connection.ask(.why(name: program.name)).items
    let why = try readable(WhyReport(program, why: items))
    var page = ProgramPage(program: program, why: why, notes: status.notes)
    if let pid = program.pids.first.flatMap({ Int32(exactly: $0) }) {
      page.command = Process.commandWords(of: pid)
      page.since = try? Process.startMoment(of: pid)
    }
    page.wakes = try lastWakes(of: program.name, since: page.since, &connection)
    page.log = lastLines(of: program.name)
    return page
  }

  private static func lastWakes(
    of name: String, since moment: Double?, _ connection: inout Connection
  ) throws(Failure) -> [EntryItem] {
    let journal: Connection.Response
    do throws(Failure) {
      journal = try connection.ask(.log(follow: false, last: entries, name: name))
    } catch .refused {
      // A process of a program may not read the journal.
      return []
    }
    let woken = try journal.records(EntryItem.self).filter { $0.what.known == .woke && $0.at >= moment ?? 0 }
    return Array(woken.suffix(wakes))
  }

  /// None for a program without a keeper: a log of that name is an earlier program's.
  private static func lastLines(of name: String) -> [String] {
    return Files.exists(KeeperFolders.socket(of: name)) ? KeeperFolders.lastLines(lines, of: name) : []
  }
}

struct WhyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "why",
    abstract: "Tell what keeps a program awake, why it last woke, or how it ended.",
    discussion: """
      Of a program that does not run: when, how and why it ended, and when it is started again.

      --machine tells for which program a suspended machine is resumed next: for a keep-alive, for the own \
      timers of a program with connections or a wake that it asked for, for paths that are kept open, for a \
      scheduled notification, or for data whose wake is put off. All else waits until the machine is awake.

      Example: lull why phone
               lull why --machine
      """)

  @Argument(help: "The program's name, as in \"lull status\".", completion: Completions.programs)
  var name: String?
  @Flag(help: "Tell what resumes a suspended machine next, and when.")
  var machine = false
  @OptionGroup var json: JSONOption

  func validate() throws {
    guard (name == nil) == machine else { throw ValidationError("give either NAME or --machine") }
  }

  func run() throws(Failure) {
    if let name { return try ProgramQuestion(name: name, json: json).ask() }
    let ok = try Daemon.ask(.alarm).ok
    let report = try readable(ResumeReport(ok))
    try json.write(report) { ResumeText.text(report, $0) }
  }
}

private struct ProgramQuestion {
  let name: String
  let json: JSONOption

  func ask() throws(Failure) {
    var connection = try Daemon.connectStarting(boots: false)
    // The race: a program that is being started runs a moment later.
    while try !told(&connection) { Daemon.pause() }
  }

  /// False when the answer has changed between two questions.
  private func told(_ connection: inout Connection) throws(Failure) -> Bool {
    guard let status = try connection.askIfKnown(.status(name: name))?.items else {
      return try tellEnd(connection.ask(.why(name: name)).items)
    }
    guard let why = try connection.askIfKnown(.why(name: name))?.items, !WhyEndedReport.isOne(why) else {
      return false
    }
    let report = try readable(WhyReport(status: status, why: why))
    try json.write(report) { WhyText.text(report, $0) }
    return true
  }

  private func tellEnd(_ why: [Message]) throws(Failure) -> Bool {
    guard WhyEndedReport.isOne(why) || why.allSatisfy({ $0.itemKind == .note }) else { return false }
    var report = try readable(WhyEndedReport(name: name, why))
    if InstalledProgram.holds(name) {
      do throws(Failure) { _ = try InstalledProgram(name) } catch {
        report.noteErrors(error.lines)
      }
    }
    let next = DetachedPrograms.hint(name)
    try json.write(report) { WhyText.text(report, next: next, $0) }
    return true
  }
}
