import ArgumentParser
import LullWire

struct StartCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "start",
    abstract: "Start an installed program, or a detached one again.",
    usage: "lull start <names> ...",
    discussion: """
      An installed program is started by its file, which is read each time, and "lull quit" is forgotten. \
      Any other gets the words, the environment, the directory, the umask, the limits and the options of \
      the last "lull run --detach" of that name. Both have LULL_LAUNCH_REASON=user in their environment.

      A program that dies within 200 ms, by a signal or with another status than 0, was not started: its \
      last line of output is told, and the exit status is 1. One with status 0 has done its work.

      Example: lull stop phone; lull start phone
      """)

  @Argument(help: "The programs' names.", completion: Completions.records)
  var names: [String]

  func run() throws(Failure) {
    try KeptPrograms.each(names) { (name) throws(Failure) in
      guard !InstalledProgram.holds(name) else { return try InstalledStart.start(name) }
      var record = try KeptPrograms.record(of: name)
      var connection = try Daemon.connectStarting()
      guard try !KeptPrograms.runs(name, &connection) else { return try InstalledStart.tellRunning(name) }
      record.request.launch = Launch(.user)
      try KeeperLaunch.start(record)
    }
  }
}

struct RestartCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restart",
    abstract: "End an installed or detached program and start it again.",
    discussion: """
      It is ended as by "lull stop", and started as by "lull start" when it has ended. One that does not run \
      is started.

      With --keep-lines its connections live on: lulld holds them, and the next start gets them (LISTEN_FDS, \
      or Lull's library). A program on the library is told, and does not take its leave; any other command \
      must have been started with --keep-lines itself, and is killed, so that it cannot. What was read and \
      not handled is lost. It is watched for 5 s then: when it has ended, or does not take them, the exit \
      status is 1, and a command is started once more, without them.

      Example: lull restart phone
      Example: lull restart --keep-lines phone
      """)

  @Argument(help: "The programs' names.", completion: Completions.records)
  var names: [String]
  @Flag(help: "Keep its connections for the next start.") var keepLines = false

  func run() throws(Failure) { try KeptPrograms.each(names) { (name) throws(Failure) in try restart(name) } }

  private func restart(_ name: String) throws(Failure) {
    let isInstalled = InstalledProgram.holds(name)
    // What cannot be started again is not ended.
    if isInstalled { _ = try InstalledProgram(name) }
    var record = isInstalled ? nil : try KeptPrograms.record(of: name)
    // It is another life of the same program, which may have its lines.
    record?.request.launch = .init(.user)
    try end(name)
    let look = StartLook(linesOf: keepLines ? name : nil)
    if let record {
      try KeeperLaunch.start(record, look)
    } else {
      try InstalledStart.start(name, look)
    }
  }

  private func end(_ name: String) throws(Failure) {
    // Where nothing runs, the daemon is started for this program.
    if !RuntimeLedger.namesPrograms, try !Daemon.runs() { return }
    var connection = try Daemon.connectStarting()
    let keeper = try KeeperConnection(name)
    keeper?.send(.watch)
    if try KeptPrograms.runs(name, &connection) {
      do throws(Failure) {
        try Ending.end([name], isAll: false, .restart(keepsLines: keepLines), on: connection.next())
      } catch .output {
        // It has ended: it is started all the same, and the start will tell the failure.
      }
      try keeper?.waitForEnd()
    }
    try KeptPrograms.waitUntilFree(name, &connection)
  }
}
