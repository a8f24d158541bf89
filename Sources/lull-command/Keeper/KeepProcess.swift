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
    if words == ["--version"] { tellVersion() }
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
      if case .refused(.nameInUse, _) = error, let other = KeptPrograms.startedByOther(record.request) {
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
      if let message = error.message { Output.complain(message) }
      Process.exit(error.exitStatus)
    }
  }

  private static func stay(_ keeper: Keeper) -> Never {
    _ = try? keeper.run()
    Process.exit(0)
  }

  private static func tellVersion() -> Never {
    do throws(Failure) {
      try Output.write(Version.text + "\n")
      Process.exit(0)
    } catch {
      if let message = error.message { Output.complain(message) }
      Process.exit(error.exitStatus)
    }
  }

  /// None of the descriptors is for the program.
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
