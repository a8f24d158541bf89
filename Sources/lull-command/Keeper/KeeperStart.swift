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
    let launch = Launch(words: Array(words.dropFirst())) { Identity.environment($0) }
    if let name = words.first, let launch { run(name, for: launch) }
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
      guard let record = try record(of: name, launch) else { Process.exit(0) }
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

  /// Nil where the program runs already.
  ///
  /// The race: the daemon that starts the program was stopped since. No other one is started then.
  private static func record(of name: String, _ launch: Launch) throws(Failure) -> ProgramRecord? {
    var connection = try Daemon.connect()
    // It may have come back by itself just now.
    guard try !DetachedPrograms.runs(name, &connection) else {
      // It is not launched for the link, and so gets it now.
      if let url = launch.url { _ = try Daemon.open(url, in: name) }
      if let push = launch.push { _ = try Daemon.push(push, to: name, isSilent: true) }
      return nil
    }
    guard InstalledProgram.holds(name) else {
      var record = try DetachedPrograms.record(of: name)
      record.request.launch = launch
      return record
    }
    let program: InstalledProgram
    do throws(Failure) { program = try InstalledProgram(name) } catch {
      if let message = error.message { Output.complain(message) }
      throw .status(Launch.misconfiguredStatus)
    }
    if program.file.adoption != nil { try InstalledAdoption(name).run() }
    return try program.record(launch)
  }
}

enum KeeperLaunch {
  /// The descriptors of a keeper: the record, and the socket on which it tells whether the program runs.
  static let recordNumber: Int32 = 3, reportNumber: Int32 = 4

  static func start(_ record: ProgramRecord, _ look: StartLook = StartLook()) throws(Failure) {
    let start = try launch(record)
    if let message = start.message { Output.complain(message) }
    try look.tell(start.name, pid: Int64(start.pid), end: look.end(of: start.name, pid: start.pid))
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

struct KeeperStart {
  private let record: ProgramRecord
  /// False where lulld has asked for the start: another daemon is not for it.
  private let startsDaemon: Bool

  init(_ record: ProgramRecord, startsDaemon: Bool = true) {
    (self.record, self.startsDaemon) = (record, startsDaemon)
  }

  /// What fails beside the program itself is a part of the report.
  func start() throws(Failure) -> (keeper: Keeper, report: KeeperMessage.Start) {
    var setting = ChildSetting(directory: try directory(), limits: record.limits)
    let signals = try prepare()
    let launch = record.request.launch?.environment ?? []
    let command = CommandWords(
      arguments: record.words,
      environment: CommandWords.environment(record.environment, adding: launch.map { Array($0.utf8) }))
    var request = record.request
    request.hasInput = record.terminal != nil || record.isInputOpen
    let place = try place(for: RunStart(command: command, request: request), &setting)
    var complaints: [String] = []
    let log = try log(of: place.name, &complaints)
    let listener = listener(of: place.name, &complaints)
    let keeper = try keeper(in: place, setting, signals: signals, log: log, listener: listener)
    log.begin(pid: keeper.pid, at: Double(Clock.realtime()) / 1e9)
    if !record.isInstalled { save(as: keeper.name, &complaints) }
    let message = complaints.isEmpty ? nil : complaints.joined(separator: "; ")
    return (keeper, .init(name: keeper.name, pid: keeper.pid, message: message))
  }

  /// The time in which a daemon that has ended is replaced, in nanoseconds.
  private static let patience: Int64 = 10_000_000_000

  /// The place at the daemon, and the lines that were kept for the program. A daemon that ends in between
  /// has given away none of them: both are asked of the next one.
  private func place(for start: RunStart, _ setting: inout ChildSetting) throws(Failure) -> RunPlace {
    let deadline = Clock.boottime() + Self.patience
    while true {
      let connection = try startsDaemon ? Daemon.connectStarting() : Daemon.connect()
      var place = try start.reserve(over: connection)
      // A first start has no earlier life.
      guard record.request.launch != nil else { return place }
      do throws(Failure) {
        setting.lines = try place.takeLines()
        return place
      } catch .connectionLost {
        guard Clock.boottime() < deadline else { throw .connectionLost }
      }
    }
  }

  private func keeper(
    in place: consuming RunPlace, _ setting: ChildSetting, signals: consuming ForwardedSignals,
    log: ProgramLog, listener: KeeperListener?
  ) throws(Failure) -> Keeper {
    let name = place.name
    let words = "\(name) cannot be started"
    let streams = try explained(words, KeeperStreams.open(record))
    // The keeper has a session of its own, which gets the terminal: keys that are signals reach it too.
    if let terminal = streams.program?.terminal {
      try explained(words, Terminal.takeControl(terminal.raw))
    }
    var setting = setting
    (setting.input, setting.output) = (streams.program?.input, streams.program?.output)
    // The program's orphans stay with it: what it leaves when its daemon ends is known by its parents. The
    // daemon, which may have been started here, is an orphan already, and its orphans stay with others.
    try? Process.becomeSubreaper()
    let session = try place.start(setting, signals, isJob: false)
    do { return try Keeper(session, streams: streams, log: log, listener: listener) } catch {
      throw .failed("\(name) cannot be kept: \(error)")
    }
  }

  /// The limits of a keeper are its own, as wide as they may be: the program gets those of the record.
  private func prepare() throws(Failure) -> ForwardedSignals {
    FileCreationMask.set(record.umask)
    for limit in (try? ResourceLimit.all()) ?? [] {
      try? ResourceLimit(resource: limit.resource, soft: limit.hard, hard: limit.hard).set()
    }
    let signals = try ForwardedSignals()
    // A file that is too large is an error of a write here, and not the end of the keeper.
    try? Signal.block([Signal.fileSize])
    return signals
  }

  private func directory() throws(Failure) -> DescriptorBox {
    do { return DescriptorBox(try Files.openDirectory(record.directory)) } catch {
      let path = String(decoding: record.directory, as: UTF8.self)
      throw .failed(
        "the directory \(path) cannot be entered (\(error.message)); start the program anew there")
    }
  }

  private func log(of name: String, _ complaints: inout [String]) throws(Failure) -> ProgramLog {
    if let output = record.output {
      let log = ProgramLog(appendingTo: output)
      let path = String(decoding: output, as: UTF8.self)
      try explained("--output \(path): cannot be written", brief: log.open())
      return log
    }
    guard let path = KeeperFolders.log(of: name) else {
      complaints.append("the output has no log (no home directory: set XDG_STATE_HOME)")
      return ProgramLog(appendingTo: Array("/dev/null".utf8))
    }
    let log = ProgramLog(bounded: path, in: [KeeperFolders.state, KeeperFolders.logs].compactMap { $0 })
    do { try log.open() } catch {
      complaints.append("the output has no log (\(error))")
    }
    return log
  }

  private func listener(of name: String, _ complaints: inout [String]) -> KeeperListener? {
    do { return try KeeperListener(KeeperFolders.socket(of: name)) } catch {
      complaints.append("\"lull attach\" will not find it (\(error))")
      return nil
    }
  }

  private func save(as name: String, _ complaints: inout [String]) {
    var record = record
    record.request.name = name
    // The reason is that of this start alone.
    record.request.launch = nil
    do throws(SystemError) {
      guard let path = KeeperFolders.record(of: name) else { throw .missing("a home directory") }
      for folder in [KeeperFolders.state, KeeperFolders.records] {
        if let folder { try StateDirectory.ensure(folder) }
      }
      try record.save(path)
    } catch {
      complaints.append("\"lull start\" will not know it (\(error))")
    }
  }
}

struct KeeperStreams {
  struct Program {
    let input: DescriptorBox
    let output: DescriptorBox
    /// The terminal that becomes the one of its session.
    let terminal: DescriptorBox?
  }

  /// The end where its output arrives, non-blocking.
  let output: DescriptorBox
  /// The end to which its input is written, non-blocking; nil: its input is empty.
  let input: DescriptorBox?
  let isTerminal: Bool
  /// A terminal stays open here as long as the command runs, so that the command may close and open it as it
  /// likes.
  private(set) var program: Program?

  static func open(_ record: ProgramRecord) throws(SystemError) -> KeeperStreams {
    if let size = record.terminal {
      let ends = try PseudoTerminal.open(size)
      return .init(
        output: ends.master, input: ends.master, isTerminal: true,
        program: .init(input: ends.terminal, output: ends.terminal, terminal: ends.terminal))
    }
    let output = try Pipe.open()
    try Descriptor.stopBlocking(output.reading.raw)
    let input = record.isInputOpen ? try Pipe.open() : nil
    if let input { try Descriptor.stopBlocking(input.writing.raw) }
    let read = if let input { input.reading } else { DescriptorBox(try Files.openNull()) }
    return .init(
      output: output.reading, input: input?.writing, isTerminal: false,
      program: .init(input: read, output: output.writing, terminal: nil))
  }

  mutating func closeProgramEnds() { program = nil }

  /// Gives `endOfStream` also where a terminal has no program any more.
  func read(into buffer: inout ReceiveBuffer) throws(SystemError) -> ReadOutcome {
    do throws(SystemError) {
      return try StandardStreams.read(output.raw, into: &buffer)
    } catch {
      guard isTerminal, error.isInputOutput else { throw error }
      return .endOfStream
    }
  }
}

final class KeeperListener {
  let socket: DescriptorBox
  private let path: String
  private let identity: FileIdentity?

  /// Takes the place of a keeper of that name that is gone or about to go: the daemon gives a name once.
  init(_ path: String) throws(SystemError) {
    if let slash = path.lastIndex(of: "/") {
      do throws(SystemError) {
        try Files.makeDirectory(String(path[..<slash]))
      } catch {
        guard error.isExisting else { throw error }
      }
    }
    try? Files.unlink(path)
    socket = DescriptorBox(try UnixSocket.listen(path: path))
    self.path = path
    identity = Files.identity(path)
  }

  /// A keeper whose command does not exist leaves no socket behind.
  deinit { close() }

  /// Another keeper may have the name by now.
  func close() {
    guard socket.isOpen else { return }
    if identity != nil, Files.identity(path) == identity { try? Files.unlink(path) }
    socket.close()
  }
}
