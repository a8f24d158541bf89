import LullChannel
import LullProgram
import LullSystem
import LullWire

/// `lull keep`: the process of a keeper. It is started with the record of its program and with nothing of the
/// shell's, or by lulld as `lull keep NAME` with the reason.
enum KeepProcess {
  static let word = "keep"

  /// The parser of the command line is left out: a keeper touches few pages.
  static var isAskedFor: Bool { CommandLine.arguments.dropFirst().first == word }

  static func run() -> Never {
    let words = Array(CommandLine.arguments.dropFirst(2))
    if words == ["--version"] { Output.end(Version.text + "\n") }
    if let name = words.first, let launch = Launch(words: Array(words.dropFirst())) { run(name, for: launch) }
    guard words.isEmpty, let (record, report) = try? handedOver(), let record else {
      Output.complain("keep: \"lull run --detach\" starts it, not a person")
      Process.exit(64)
    }
    do throws(Failure) {
      let start = try KeeperStart(record).start()
      report.send(.running(start.report))
      report.channel.close()
      stay(start.keeper)
    } catch {
      if case .refused(.nameInUse, _) = error, let other = DetachedPrograms.startedByOther(record.request) {
        report.send(.running(other))
        Process.exit(0)
      }
      let message = error.message ?? "the program cannot be started"
      report.send(.refused(status: error.exitStatus, message: message))
      Process.exit(error.exitStatus)
    }
  }

  /// Starts a program for lulld, which reads the last line of standard error when the status is not 0.
  private static func run(_ name: String, for launch: Launch) -> Never {
    do throws(Failure) {
      guard let record = try StartForDaemon.record(of: name, launch) else { Process.exit(0) }
      let keeper = try KeeperStart(record, startsDaemon: false).start().keeper
      // Nobody reads what is written there from now on.
      try? StandardStreams.letGoOfError()
      stay(keeper)
    } catch {
      error.end()
    }
  }

  private static func stay(_ keeper: Keeper) -> Never {
    _ = try? keeper.run()
    Process.exit(0)
  }

  private static func handedOver() throws(SystemError) -> (ProgramRecord?, KeeperConnection) {
    let file = try takeOver(KeeperLaunch.recordNumber)
    let report = try takeOver(KeeperLaunch.reportNumber)
    var bytes: [UInt8] = []
    var room = ReceiveBuffer(capacity: 1 << 14)
    while case .bytes = try StandardStreams.read(file.raw, into: &room) { bytes += room.received }
    return (ProgramRecord(bytes), KeeperConnection("the program", end: report))
  }

  private static func takeOver(_ number: Int32) throws(SystemError) -> DescriptorBox {
    let own = DescriptorBox(try .duplicating(number))
    _ = Descriptor(owning: number)
    return own
  }
}

enum StartForDaemon {
  /// Nil where the program runs already.
  ///
  /// The race: the daemon that starts the program was stopped since. No other one is started then.
  static func record(of name: String, _ launch: Launch) throws(Failure) -> ProgramRecord? {
    var connection = try Daemon.connect()
    // It may have come back by itself just now.
    guard try !DetachedPrograms.runs(name, &connection) else {
      // It is not launched for the link, and so gets it now.
      if let url = launch.url { _ = try Daemon.open(url, in: name) }
      return nil
    }
    guard !InstalledProgram.holds(name) else { return try checked(name).record(launch) }
    var record = try DetachedPrograms.record(of: name)
    record.request.launch = launch
    return record
  }

  private static func checked(_ name: String) throws(Failure) -> InstalledProgram {
    do throws(Failure) { return try InstalledProgram(name) } catch {
      if let message = error.message { Output.complain(message) }
      throw .status(Launch.mistakenStatus)
    }
  }
}

enum KeeperLaunch {
  /// The descriptors of a keeper: the record, and the socket on which it tells whether the program runs.
  static let recordNumber: Int32 = 3, reportNumber: Int32 = 4

  static func start(_ record: ProgramRecord, _ look: StartLook = StartLook()) throws(Failure) {
    let start = try launch(record)
    if let message = start.message { Output.complain(message) }
    try look.tell(start.name, pid: Int64(start.pid), end: look.end(of: start.name))
  }

  private static func launch(_ record: ProgramRecord) throws(Failure) -> KeeperMessage.Start {
    let words = "the program cannot be started"
    let (here, there) = try explained(words, UnixSocket.pair())
    try explained(words, spawn(record, report: there))
    there.close()
    let report = KeeperConnection(record.request.name ?? "the program", end: here)
    // As long as the keeper takes: the daemon may have to be started first.
    switch try report.answer(within: nil)?.0 {
    case .running(let start): return start
    case .refused(let status, let message):
      Output.complain(message)
      throw .status(status)
    default: throw .failed("the program was not started: its keeper ended")
    }
  }

  private static func spawn(_ record: ProgramRecord, report: DescriptorBox) throws(SystemError) {
    // A pipe: a limit on the size of files does not hold for it.
    let file = try Pipe.open()
    // A keeper that ends early says why on the other socket.
    try Signal.ignore(Signal.pipe)
    let nothing = try Files.openNull()
    let root = try Files.openDirectory("/")
    var request = SpawnRequest([try Process.executablePath(), KeepProcess.word])
    (request.standardInput, request.standardOutput, request.standardError) =
      (nothing.raw, nothing.raw, nothing.raw)
    request.passed = [.init(file.reading.raw, as: recordNumber), .init(report.raw, as: reportNumber)]
    request.directory = root.raw
    request.group = .newSession
    _ = try Process.spawn(request)
    file.reading.close()
    try? StandardStreams.write(record.encoded(), to: file.writing.raw)
  }
}
