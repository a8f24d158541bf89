import ArgumentParser
import LullSystem
import LullWire

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
  @Option(
    name: [.customLong("last"), .customShort("n")],
    help: ArgumentHelp("Only the last N lines.", valueName: "n"))
  var last: Int?
  @Flag(
    name: [.customLong("follow"), .customShort("f")], help: "Go on with new output until the program ends.")
  var isFollowing = false

  func run() throws(Failure) {
    if let last, last < 0 { throw .usage("--last \(last): must be 0 or more") }
    guard ProgramName.isValid(program.name) else { throw DetachedPrograms.unknown(program.name) }
    let path = try path()
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
    let shown = chosen(bytes)
    let isWhole = !log.isCut && shown.startIndex == 0
    var plain =
      Terminal.isTerminal(StandardStreams.output) ? PlainText(keepsColours: true, isWhole: isWhole) : nil
    try Output.write(plain?.text(ofLog: shown)[...] ?? shown)
    if var follower { return try follower.follow(&log, &plain) }
    try Output.write((plain?.end() ?? [])[...])
  }

  private func chosen(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
    let lives = start.since.map { LifeMark.lives(since: $0.unix, in: bytes) } ?? bytes[...]
    return last.map { LogReader.last($0, linesOf: lives) } ?? lives
  }

  private func path() throws(Failure) -> String {
    guard let path = KeeperFolders.output(of: program.name) else {
      throw .failed("no home directory to find logs in; set XDG_STATE_HOME")
    }
    return path
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
  @Option(
    help: ArgumentHelp(
      "The keys that leave, such as ctrl-p,ctrl-q (default: ctrl-]).", valueName: "keys"))
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
