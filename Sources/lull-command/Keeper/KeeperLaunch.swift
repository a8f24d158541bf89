import LullSystem
import LullWire

/// The start of a keeper, by `lull run --detach`, `lull start` and `lull restart`.
enum KeeperLaunch {
  /// The descriptors of a keeper: the record, and the socket on which it tells whether the program runs.
  static let recordNumber: Int32 = 3, reportNumber: Int32 = 4

  static func start(_ record: ProgramRecord, _ look: StartLook = StartLook()) throws(Failure) {
    let start = try launch(record)
    if let message = start.message { Output.complain(message) }
    try look.tell(start.name, pid: Int64(start.pid), end: look.end(of: start.name))
  }

  private static func launch(_ record: ProgramRecord) throws(Failure) -> KeeperMessage.Start {
    let report: KeeperConnection
    do throws(SystemError) {
      let (here, there) = try UnixSocket.pair()
      try spawn(record, report: there)
      there.close()
      report = KeeperConnection(record.request.name ?? "the program", end: here)
    } catch {
      throw .failed("the program cannot be started: \(error)")
    }
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
