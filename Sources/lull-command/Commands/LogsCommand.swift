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
    guard ProgramName.isValid(program.name) else { throw KeptPrograms.unknown(program.name) }
    let path = try path()
    if start.since != nil, path != KeeperFolders.ofThisUser.log(of: program.name) {
      throw .usage("--since: \(path), the file of --output, has no line that marks a start")
    }
    // Watched before the first read, so that nothing comes in between unseen.
    let follower = isFollowing ? try LogFollower(program.name, path) : nil
    guard var log = try read(path, { () throws(SystemError) in try LogReader(path) }) else {
      throw KeptPrograms.unknown(program.name)
    }
    let bytes = try read(path) { () throws(SystemError) in try log.next() }
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
    guard let path = KeeperFolders.ofThisUser.output(of: program.name) else {
      throw .failed("no home directory to find logs in; set XDG_STATE_HOME")
    }
    return path
  }

  private func read<Value>(
    _ path: String, _ body: () throws(SystemError) -> Value
  ) throws(Failure) -> Value {
    do { return try body() } catch { throw .failed("\(path): cannot be read (\(error.message))") }
  }
}
