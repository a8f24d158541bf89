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
  @OptionGroup var last: LastOption
  @Flag(name: [.customLong("follow"), .customShort("f")], help: "Go on with new entries until interrupted.")
  var isFollowing = false
  @Flag(name: .customLong("json"), help: "Write one JSON object per line.")
  var isJSON = false

  func run() throws(Failure) {
    let style = Style.ofStandardOutput()
    let question = start.log(follow: isFollowing, last: try last.count(), of: program.name)
    guard isFollowing else {
      let entries = try Daemon.ask(question, starting: .withoutBoot).records(EntryItem.self)
      for entry in entries { try write(entry, style) }
      return
    }
    let following = try Following(Daemon.connectStarting(boots: false))
    let known = try following.ask(question)
    for entry in try readable(known.records(EntryItem.self)) { try write(entry, style) }
    repeat {
      while let notice = try following.nextNotice() {
        // The notices are of every program.
        guard notice.notice == .entry, program.name == nil || notice[.program] == program.name else {
          continue
        }
        try write(readable(EntryItem(notice)), style)
      }
      try following.wait()
    } while try following.nextSignal() == nil
  }

  private func write(_ entry: EntryItem, _ style: Style) throws(Failure) {
    try Output.write(
      isJSON
        ? JSONOutput.text(entry, .line)
        : Prose.wrapped(
          LogText.text(entry, at: LocalTime(unix: entry.at), style: style), columns: style.proseColumns))
  }
}

enum LogText {
  /// For example `2026-01-02 10:11:12.345  phone  woke (data), line 3: 12 bytes`. The end of a program has
  /// the words of ``EndWords``.
  static func text(_ entry: EntryItem, at time: LocalTime, style: Style) -> String {
    let program = style.paint(Printable.text(entry.program ?? "lulld"), .bold)
    let moment = style.paint(time.description, .dim)
    return "\(moment)  \(program)  \(words(entry))\n"
  }

  private static func words(_ entry: EntryItem) -> String {
    if entry.what.known == .exited {
      let count = entry.count > 1 ? ", \(entry.count) times" : ""
      return EndWords.text(entry.cause.map { OpenWord($0) }, entry.detail.map(Printable.text)) + count
    }
    var entry = entry
    entry.detail = ExplanationText.detail(of: entry)
    return Printable.text(entry.words)
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
    let question = start.log(last: Int(Int32.max), of: program.name)
    let entries = try Daemon.ask(question, starting: .withoutBoot).records(EntryItem.self)
    let report = WakesReport(name: program.name, entries)
    try Output.write(json.isJSON ? JSONOutput.text(report) : WakesText.text(report, .wholeOfStandardOutput()))
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

struct LogsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "logs",
    abstract: "Show what a detached program wrote (what Lull did with it: log).",
    discussion: """
      The output of the programs of "lull run --detach", also of those that have ended. The newest 1 to 2 \
      MiB are kept, in ~/.local/state/lull/logs; on a full disk less, and a line in the log says how many \
      lines were dropped. With --output the file of that option is shown.

      A line such as "--- started 2026-01-02 23:41:02, pid 4711 ---" marks each start; nothing else has a \
      time. --since shows the lives that went on at that time or began after it; the file of --output has no \
      such lines, and takes no --since. On a terminal the program's colours stay, and its other escape \
      sequences are left out: the terminal would answer some of them.

      Example: lull logs phone --last 20 --follow
      """)

  @OptionGroup var program: ProgramArgument
  @OptionGroup var start: SinceOption
  @OptionGroup var last: LastOption
  @Flag(
    name: [.customLong("follow"), .customShort("f")], help: "Go on with new output until the program ends.")
  var isFollowing = false

  func run() throws(Failure) {
    let count = try last.count()
    guard ProgramName.isValid(program.name) else { throw DetachedPrograms.unknown(program.name) }
    guard let path = KeeperFolders.output(of: program.name) else {
      throw .failed("no home directory to find logs in; set XDG_STATE_HOME")
    }
    if start.since != nil, path != KeeperFolders.log(of: program.name) {
      throw .usage("--since: \(path), the file of --output, has no line that marks a start")
    }
    // Watched before the first read, so that nothing comes in between unseen.
    let follower = isFollowing ? try LogFollower(program.name, path) : nil
    let words = "\(path): cannot be read"
    guard var log = try explained(words, brief: LogReader(path)) else {
      throw DetachedPrograms.unknown(program.name)
    }
    let bytes = try explained(words, brief: log.next())
    let lives = start.since.map { LifeMark.lives(since: $0.unix, in: bytes) } ?? bytes[...]
    let shown = count.map { LogReader.last($0, linesOf: lives) } ?? lives
    let isWhole = !log.isCut && shown.startIndex == 0
    var plain =
      Terminal.isTerminal(StandardStreams.output) ? PlainText(keepsColours: true, isWhole: isWhole) : nil
    try Output.write(plain?.text(ofLog: shown)[...] ?? shown)
    if var follower { return try follower.follow(&log, &plain) }
    try Output.write((plain?.end() ?? [])[...])
  }
}

struct AttachCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "attach",
    abstract: "Join a detached program: see its output and type to it.",
    discussion: """
      A program of "lull run --detach --tty" gets every key, also Ctrl-C and Ctrl-Z; Ctrl-] leaves it, and \
      it runs on. Without --tty its output is shown, and with --stdin open lines are sent to it; Ctrl-C \
      leaves. Several may join at once. The program is not woken before something is typed; one with --tty \
      is in the foreground from then on, and does not sleep until the last who has typed has left.

      Exit status: 0 when left; that of the program when it ends.

      Example: lull attach phone
      """)

  @OptionGroup var program: ProgramArgument
  @Option(help: .init("The keys that leave, such as ctrl-p,ctrl-q (default: ctrl-]).", valueName: "keys"))
  var detachKeys: String?

  func run() throws(Failure) {
    let keys = try detachKeys.map { text throws(Failure) in try DetachKeys(text) } ?? .usual
    guard ProgramName.isValid(program.name), let keeper = try KeeperConnection(program.name) else {
      throw DetachedPrograms.unknown(program.name)
    }
    keeper.send(.attach)
    guard let (answer, descriptor) = try keeper.answer(), let stream = descriptor,
      case .attached(let hasTerminal, let takesInput) = answer
    else { throw .failed("the keeper of \(program.name) has ended") }
    var session = try AttachSession(
      program.name, keeper: keeper, stream: stream, keys: keys, hasTerminal: hasTerminal,
      takesInput: takesInput)
    // The race: a key that follows the word is the program's, and the terminal must be raw before it.
    if Terminal.isTerminal(StandardStreams.input) {
      let input = takesInput ? "" : "it takes no input, and "
      Output.complain(
        "joined \(program.name); \(input)\(hasTerminal ? keys.text : "Ctrl-C") leaves",
        isRaw: session.terminal != nil)
    }
    let end = try session.run()
    // The terminal has its modes back before anything is written to it.
    _ = consume session
    try tell(end)
  }

  private func tell(_ end: AttachSession.End) throws(Failure) {
    switch end {
    case .left:
      if Terminal.isTerminal(StandardStreams.input) { Output.complain("left \(program.name), which runs on") }
    case .unread: break
    case .signal(let signal): throw .status(128 + signal)
    case .program(.ended(let status)):
      Output.complain("\(program.name) has ended (\(status.words))")
      if status.shellStatus != 0 { throw .status(status.shellStatus) }
    case .program(.refused(let message)): throw .failed(message)
    case .program(.hungUp):
      throw .failed("the keeper of \(program.name) is gone, and so is the program's input and output")
    }
  }
}
