import ArgumentParser
import LullSystem
import LullWire

struct ForgetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forget",
    abstract: "Remove the record and the log of a detached program that has ended.",
    usage: "lull forget <names> ...",
    discussion: """
      It takes away what "lull run --detach" has left: the record, by which "lull start" starts the program \
      again, the log, which "lull logs" shows, and the connections that are kept for its next start. What \
      was taken is printed. The file of --output, what the program keeps itself, its ends in "lull status \
      --all" and its entries in "lull log" stay. One that runs, or is installed, is not forgotten.

      Example: lull quit phone; lull forget phone
      """)

  @Argument(help: "The programs' names.", completion: Completions.records)
  var names: [String]

  func run() throws(Failure) { try KeptPrograms.each(names) { (name) throws(Failure) in try forget(name) } }

  private func forget(_ name: String) throws(Failure) {
    guard ProgramName.isValid(name) else { throw .noName(name) }
    let folders = KeeperFolders.ofThisUser
    guard let record = folders.record(of: name), let log = folders.log(of: name) else {
      throw .failed("no home directory to find records and logs in; set XDG_STATE_HOME")
    }
    if InstalledProgram.holds(name) {
      throw .failed("\(name) is installed; \"lull remove \(name)\" removes it")
    }
    var connection = try Daemon.connectStarting(boots: false)
    try refuseRunning(name, &connection)
    let hadLines = try closeLines(of: name, &connection)
    // The race: what came on one of them may have had it started.
    try refuseRunning(name, &connection)
    let size = [log, ProgramLog.older(log)].reduce(0) { $0 + Self.size(of: $1) }
    let hasRecord = try remove(record)
    let (hasLog, hasOlder) = (try remove(log), try remove(ProgramLog.older(log)))
    guard hasRecord || hasLog || hasOlder || hadLines else {
      throw .failed("nothing is left of \(name); \"lull logs\" and \"lull start\" know no such program")
    }
    let parts = [
      hasRecord ? "its record" : nil, hasLog || hasOlder ? "its log (\(size) bytes)" : nil,
      hadLines ? "its kept connections" : nil,
    ]
    try Output.say("\(name) is forgotten: \(parts.compactMap(\.self).joined(separator: " and "))\n")
  }

  private func refuseRunning(_ name: String, _ connection: inout Connection) throws(Failure) {
    guard try !KeptPrograms.runs(name, &connection) else {
      throw .failed("\(name) runs; \"lull quit \(name)\" ends it")
    }
  }

  /// False where the daemon keeps nothing for the next start.
  private func closeLines(of name: String, _ connection: inout Connection) throws(Failure) -> Bool {
    do throws(Failure) {
      _ = try connection.overRestart { (connection) throws(Failure) in
        try connection.ask(.quit(name: name, now: false))
      }
      return true
    } catch .refused(.noSuchProgram, _) {
      return false
    }
  }

  private func remove(_ path: String) throws(Failure) -> Bool {
    do {
      try Files.unlink(path)
      return true
    } catch {
      guard !error.isNoSuchFile else { return false }
      throw .failed("\(path): cannot be removed (\(error.message))")
    }
  }

  private static func size(of path: String) -> Int {
    guard let file = (try? Files.openRegular(Array(path.utf8))) ?? nil else { return 0 }
    return (try? Files.size(file.raw)) ?? 0
  }
}
