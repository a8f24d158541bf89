import ArgumentParser
import LullSystem
import LullWire

struct LogCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log",
    abstract: "Show the journal: what Lull did with the programs, and why (what they wrote: logs).",
    discussion: """
      Every wake, sleep and request stands in the journal with its cause. It survives a restart of lulld \
      and of the machine, as far as there is room for it. Without --since and --last the last 100 entries \
      are shown.
      --since takes a span ("10 min ago", 2h), a time of today (10:00), a day (today, yesterday, \
      2026-01-31), a day with a time ("2026-01-31 10:00"), seconds since 1970 (@1769853600), or boot.

      Example: lull log --last 20 --follow
               lull log phone --since "10 min ago"
      """)

  @OptionGroup var program: OptionalProgramArgument
  @OptionGroup var start: SinceOption
  @Option(
    name: [.customLong("last"), .customShort("n")],
    help: ArgumentHelp("Only the last N entries.", valueName: "n"))
  var last: Int?
  @Flag(name: [.customLong("follow"), .customShort("f")], help: "Go on with new entries until interrupted.")
  var isFollowing = false
  @Flag(name: .customLong("json"), help: "Write one JSON object per line.")
  var isJSON = false

  func run() throws(Failure) {
    if let last, last < 0 { throw .usage("--last \(last): must be 0 or more") }
    let style = Style.ofStandardOutput()
    let question = start.log(
      follow: isFollowing, last: last.map { min($0, Int(Int32.max)) }, of: program.name)
    guard isFollowing else {
      for entry in try Journal.entries(question) { try write(entry, style) }
      return
    }
    let following = try Following(Daemon.connectStarting(boots: false))
    for item in try following.ask(question) where item.itemKind == .entry { try write(item, style) }
    repeat {
      while let notice = try following.nextNotice() {
        // The notices are of every program.
        guard notice.notice == .entry, program.name == nil || notice[.program] == program.name else {
          continue
        }
        try write(notice, style)
      }
      try following.wait()
    } while try following.nextSignal() == nil
  }

  private func write(_ item: Message, _ style: Style) throws(Failure) {
    let entry = try readable(EntryItem(item))
    try write(entry, style)
  }

  private func write(_ entry: EntryItem, _ style: Style) throws(Failure) {
    try Output.write(
      isJSON
        ? JSONOutput.text(entry, .line)
        : Prose.wrapped(
          LogText.text(entry, at: LocalTime(unix: entry.at), style: style), columns: style.proseColumns))
  }
}

enum Journal {
  static func entries(_ question: Request) throws(Failure) -> [EntryItem] {
    try Daemon.ask(question, starting: .withoutBoot).records(EntryItem.self)
  }
}

enum LogText {
  /// For example `2026-01-02 10:11:12.345  phone  woke (data), line 3: 12 bytes`. The end of a program has
  /// the words of ``EndWords``.
  static func text(_ entry: EntryItem, at time: LocalTime, style: Style) -> String {
    let program = style.paint(Printable.text(entry.program ?? "lulld"), .bold)
    let moment = style.paint(time.description, .dim)
    let count = entry.count > 1 ? ", \(entry.count) times" : ""
    return "\(moment)  \(program)  \(words(entry, count))\n"
  }

  private static func words(_ entry: EntryItem, _ count: String) -> String {
    if entry.what == "exited" {
      return EndWords.text(entry.cause, entry.detail.map(Printable.text)) + count
    }
    let cause = entry.cause.map { " (\(Printable.text($0)))" } ?? ""
    let line = entry.line.map { ", line \($0)" } ?? ""
    let detail = entry.detail.map { ": \(Printable.text($0))" } ?? ""
    return "\(Printable.text(entry.what))\(cause)\(count)\(line)\(detail)"
  }
}

struct WakesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "wakes",
    abstract: "Show what has woken a program, and how often (to wake it: wake).",
    discussion: """
      The wakes of the journal are summed up by their reason and, where bytes came, by their sender or the \
      line. WAITED: how long the longest waited for the program to run. Without a terminal nothing is cut.

      Example: lull wakes phone --since yesterday
      """)

  @OptionGroup var program: ProgramArgument
  @OptionGroup var start: SinceOption
  @OptionGroup var json: JSONOption

  func run() throws(Failure) {
    let entries = try Journal.entries(start.log(last: Int(Int32.max), of: program.name))
    let report = WakesReport(name: program.name, entries)
    try Output.write(
      json.isJSON ? JSONOutput.text(report) : WakesText.text(report, .wholeOfStandardOutput()))
  }
}

enum WakesText {
  static func text(_ report: WakesReport, _ style: Style) -> String {
    let name = Printable.text(report.name)
    guard !report.wakes.isEmpty else {
      return Prose.wrapped("The journal has no wake of \(name).\n", columns: style.proseColumns)
    }
    let table = Table(
      report.wakes,
      [
        .init("REASON") { .init($0.reason, .bold) },
        .init("BY", .cutLast(rank: 1, least: 16)) { .init($0.by) },
        .init("COUNT", aligned: .right) { .init(String($0.count)) },
        .init("SHARE", aligned: .right) { .init("\($0.count * 100 / report.count) %") },
        .init("WAITED", aligned: .right) {
          .init($0.longestWaitMicroseconds.map(DurationText.text(microseconds:)))
        },
        .init("LAST") { .init(LocalTime(unix: $0.last).short) },
      ])
    let since = report.since.map { " since \(LocalTime(unix: $0).description.prefix(16))" } ?? ""
    return table.text(style) + "\(report.count) \(report.count == 1 ? "wake" : "wakes")\(since)\n"
  }
}

struct LinesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lines",
    abstract: "Show the connections that are watched for sleeping programs, or kept for ended ones.",
    discussion: """
      UNREAD: bytes that wait in the kernel. ANSWERED: pings that the daemon answered in the program's \
      place. PID/FD: which process of the program holds it, and its number there. NOTE disregarded: it has \
      long been readable and the program does not read it, so only what is new there wakes the program. \
      NOTE kept: the program has ended, and is launched for what comes there.

      Where the terminal is too narrow for both addresses there is one ADDRESS: the peer's or, without a \
      peer, the line's own. Without a terminal nothing is cut.

      A program that waits with epoll has one line for all connections of its set. A program with more than \
      64 lines is summed up. --all lists every connection of both.

      Example: lull lines phone
      """)

  @OptionGroup var program: OptionalProgramArgument
  @Flag(help: "List every connection, however many there are.") var all = false
  @OptionGroup var json: JSONOption

  func run() throws(Failure) {
    let lines = try Daemon.ask(.lines(name: program.name, all: all)).records(LineItem.self)
    guard !json.isJSON else { return try Output.write(JSONOutput.text(lines)) }
    try Output.write(LinesText.text(lines, listingAll: all, .wholeOfStandardOutput()))
  }
}
