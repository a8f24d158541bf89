import ArgumentParser
import LullChannel
import LullSystem
import LullWire

/// `lull logs NAME [--last N] [--follow]`.
struct LogsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "logs",
    abstract: "Show what a detached program wrote.",
    discussion: """
      The output of the programs of "lull run --detach", also of those that have ended. The newest 1 to 2 \
      MiB are kept, in ~/.local/state/lull/logs. With --output the file of that option is shown. \
      ("lull log" is the journal of the daemon.)

      Example: lull logs phone --last 20 --follow
      """)

  @OptionGroup var program: ProgramArgument
  @Option(help: ArgumentHelp("Only the last N lines.", valueName: "n"))
  var last: Int?
  @Flag(name: .customLong("follow"), help: "Go on with new output until the program ends.")
  var isFollowing = false

  func run() throws(Failure) {
    if let last, last < 0 { throw .usage("--last \(last): must be 0 or more") }
    guard ProgramName.isValid(program.name) else { throw KeptPrograms.unknown(program.name) }
    let path = try path()
    // Watched before the first read, so that nothing comes in between unseen.
    let follower = isFollowing ? try LogFollower(program.name, path) : nil
    guard var log = try read(path, { () throws(SystemError) in try LogReader(path) }) else {
      throw KeptPrograms.unknown(program.name)
    }
    let bytes = try read(path) { () throws(SystemError) in try log.next() }
    try Output.write(last.map { LogReader.last($0, linesOf: bytes) } ?? bytes[...])
    if var follower { try follower.follow(&log) }
  }

  private func path() throws(Failure) -> String {
    let folders = KeeperFolders.ofThisUser
    guard let path = folders.log(of: program.name), let record = folders.record(of: program.name) else {
      throw .failed("no home directory to find logs in; set XDG_STATE_HOME")
    }
    // The record of an installed program is its file, also where another record has that name.
    if let file = try? InstalledFolder.ofThisUser?.file(program.name) {
      return file.values(of: "--output").last ?? path
    }
    return (try? ProgramRecord.load(record))?.output.map { String(decoding: $0, as: UTF8.self) } ?? path
  }

  private func read<Value>(
    _ path: String, _ body: () throws(SystemError) -> Value
  ) throws(Failure) -> Value {
    do { return try body() } catch { throw .failed("\(path): cannot be read (\(error.message))") }
  }
}
