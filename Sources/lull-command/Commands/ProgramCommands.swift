import ArgumentParser
import LullChannel
import LullSystem
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

      A program that dies before it has rested for 10 ms, or within 200 ms where it does not rest, by a \
      signal or with another status than 0, was not started: its last line of output is told, and the exit \
      status is 1. One with status 0 has done its work.

      Example: lull stop phone; lull start phone
      """)

  @Argument(help: "The programs' names.", completion: Completions.records)
  var names: [String]

  func run() throws(Failure) {
    try DetachedPrograms.each(names) { (name) throws(Failure) in
      guard !InstalledProgram.holds(name) else { return try InstalledStart.start(name) }
      var record = try DetachedPrograms.record(of: name)
      var connection = try Daemon.connectStarting()
      guard try !DetachedPrograms.runs(name, &connection) else {
        return try InstalledStart.tellRunning(name)
      }
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

      With --keep-lines its connections stay open: lulld holds them, and the next start gets them \
      (LISTEN_FDS, or Lull's library). A program on the library is told so, and does not sign off from its \
      servers; any other command must have been started with --keep-lines itself, and is killed before it \
      can sign off. What it has read and not handled is lost. The new start is watched for 5 s: when it \
      ends, or does not take the connections, the exit status is 1, and a command is started once more, \
      without them.

      Example: lull restart phone
      Example: lull restart --keep-lines phone
      """)

  @Argument(help: "The programs' names.", completion: Completions.records)
  var names: [String]
  @Flag(help: "Keep its connections for the next start.") var keepLines = false

  func run() throws(Failure) {
    try DetachedPrograms.each(names) { (name) throws(Failure) in try restart(name) }
  }

  private func restart(_ name: String) throws(Failure) {
    let isInstalled = InstalledProgram.holds(name)
    // What cannot be started again is not ended.
    if isInstalled { _ = try InstalledProgram(name) }
    var record = isInstalled ? nil : try DetachedPrograms.record(of: name)
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
    if try DetachedPrograms.runs(name, &connection) {
      do throws(Failure) {
        try ProgramChange.make([name], .restart(keepsLines: keepLines), on: connection.next())
      } catch .output {
        // It has ended: it is started all the same, and the start will tell the failure.
      }
      try keeper?.waitForEnd()
    }
    try DetachedPrograms.waitUntilFree(name, &connection)
  }
}

struct QuitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "quit",
    abstract: "End programs.",
    discussion: """
      A command that sleeps is woken. All its processes are sent SIGTERM, and it has 5 s to end: a phone \
      unregisters in them. A program on the library is told when it is awake, and killed at once when it \
      sleeps. What has not ended after 5 s is killed. The end of each is printed.
      A program of "lull run --detach" can be started again by "lull start", and so can an installed one, \
      which stays ended until then.

      Example: lull quit phone
               lull quit --now phone music
               lull quit --all
      """)

  @OptionGroup var programs: ProgramsArgument
  @OptionGroup var time: EndingTime

  func run() throws(Failure) { try ProgramChange.make(programs, .quit(now: time.isNow)) }
}

struct StopCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stop",
    abstract: "End programs, as \"lull quit\" does.",
    discussion: """
      The same as "lull quit": after either, "lull start NAME" starts an installed program or one of \
      "lull run --detach" again.

      Example: lull stop phone
      """)

  @OptionGroup var programs: ProgramsArgument
  @OptionGroup var time: EndingTime

  func run() throws(Failure) { try ProgramChange.make(programs, .quit(now: time.isNow)) }
}

struct EndingTime: ParsableArguments {
  @Flag(name: .customLong("now"), help: "Kill at once, without the 5 s.")
  var isNow = false
}

struct PurgeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "purge",
    abstract: "End programs as if memory were short.",
    discussion: """
      A program that sleeps is killed without a word; one that runs is asked to end, and killed after 5 s. \
      It is started again when it is needed. Only a program that can come back is purged: one that is on the \
      library or has --keep-lines, and is installed, or one with --purgeable.

      Example: lull purge phone
      """)

  @OptionGroup var programs: ProgramsArgument

  func run() throws(Failure) { try ProgramChange.make(programs, .purge) }
}

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

  func run() throws(Failure) {
    try DetachedPrograms.each(names) { (name) throws(Failure) in try forget(name) }
  }

  private func forget(_ name: String) throws(Failure) {
    guard ProgramName.isValid(name) else { throw .noName(name) }
    guard let record = KeeperFolders.record(of: name), let log = KeeperFolders.log(of: name) else {
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
    guard try !DetachedPrograms.runs(name, &connection) else {
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
    try explained("\(path): cannot be removed", brief: Files.ifThere(Files.unlink(path))) != nil
  }

  private static func size(of path: String) -> Int {
    guard let file = (try? Files.openRegular(Array(path.utf8))) ?? nil else { return 0 }
    return (try? Files.size(file.raw)) ?? 0
  }
}

struct WakeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "wake",
    abstract: "Wake sleeping programs (what has woken one: wakes).",
    discussion: """
      A program gets the 10 s that every wake gives and sleeps again.

      Example: lull wake phone
      """)

  @OptionGroup var programs: ProgramsArgument

  func run() throws(Failure) { try ProgramChange.make(programs, .awake) }
}

struct SuspendCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "suspend",
    abstract: "Send programs to sleep.",
    discussion: """
      A program in the foreground is sent to the background first. It sleeps when nothing keeps it awake \
      any more. What is not asleep after a second is a failure, with the reason; it is tried again then.

      Example: lull suspend phone
      """)

  @OptionGroup var programs: ProgramsArgument

  func run() throws(Failure) { try ProgramChange.make(programs, .suspended) }
}

struct ForegroundCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "foreground",
    abstract: "Bring programs to the foreground, where they never sleep.",
    discussion: "Example: lull foreground phone")

  @OptionGroup var programs: ProgramsArgument

  func run() throws(Failure) { try ProgramChange.make(programs, .foreground) }
}

struct BackgroundCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "background",
    abstract: "Send programs to the background, where they sleep when they may.",
    discussion: "Example: lull background phone")

  @OptionGroup var programs: ProgramsArgument

  func run() throws(Failure) { try ProgramChange.make(programs, .background) }
}

struct SignalCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "signal",
    abstract: "Send a program a signal, and wake it for that.",
    discussion: """
      A signal that "kill" sends to a sleeping program waits until something else wakes it, if the program \
      handles the signal; KILL, and a fatal one that it does not handle, end it at once. This \
      command wakes it, for a second at least and until it has taken the signal.
      A command gets it with all processes of its process group. After HUP, INT, QUIT or TERM it stays awake \
      for a minute, because it may sign off from its servers.

      Example: lull signal phone USR1
               lull signal server HUP
               lull signal server RTMIN+3
      """)

  @OptionGroup var program: ProgramArgument

  @Argument(
    help: "Its name, with or without SIG, or its number from 1 to 64.", completion: Completions.signals)
  var signal: String

  private var number: Int32 {
    get throws(ValidationError) {
      if let number = Signal.number(named: signal) { return number }
      throw ValidationError("no signal \"\(Printable.text(signal))\"; \"kill -l\" lists them")
    }
  }

  func validate() throws { _ = try number }

  func run() throws {
    // It is not to be sent twice.
    var connection = try Daemon.connect()
    _ = try connection.ask(.signal(name: program.name, number: number))
  }
}
