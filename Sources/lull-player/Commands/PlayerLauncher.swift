import LullChannel
import LullSystem

enum PlayerLauncher {
  /// The descriptor through which a started player reports: it closes the descriptor when it is ready, or
  /// first writes one text line with the reason why it is not.
  static let reportDescriptor: Int32 = 3
  private static let patience: Int32 = 10_000

  static func socketPath() -> String { RuntimeDirectory.path() + "/player" }

  static func connect() throws(Failure) -> PlayerConnection? {
    do { try RuntimeDirectory.check() } catch { throw .failed("\(error)") }
    return try PlayerConnection(path: socketPath())
  }

  static func connectStarting() throws(Failure) -> PlayerConnection {
    if let connection = try connect() { return connection }
    try start()
    if let connection = try connect() { return connection }
    throw .failed("the player that was started has ended; run \"lull-player daemon\" to see why")
  }

  private static func start() throws(Failure) {
    do {
      let directory = try RuntimeDirectory.ensure()
      let report = try launch(log: Files.create(directory + "/player.log"))
      let text = try read(report).split(separator: "\n").last.map { String($0) }
      if let text { throw Failure.failed(text) }
    } catch let error as Failure {
      throw error
    } catch {
      throw .failed("the player cannot be started: \(error)")
    }
  }

  private static func launch(log: borrowing Descriptor) throws(SystemError) -> DescriptorBox {
    let (ours, theirs) = try UnixSocket.pair()
    let null = try Files.openNull()
    var request = SpawnRequest([try Process.executablePath(), "daemon", "--started"])
    request.standardInput = null.raw
    request.standardOutput = null.raw
    request.standardError = log.raw
    request.passed = [SpawnRequest.Passed(theirs.raw, as: reportDescriptor)]
    request.group = .newSession
    let child = try Process.spawn(request)
    _ = try Socket.poll(child.execStatus.raw, .readable, timeoutMilliseconds: patience)
    if case .failed(let error) = try Process.execResult(child.execStatus.raw) { throw error }
    return ours
  }

  private static func read(_ report: DescriptorBox) throws -> String {
    var buffer = ReceiveBuffer(capacity: 4096)
    var bytes: [UInt8] = []
    while true {
      guard try !Socket.poll(report.raw, .readable, timeoutMilliseconds: patience).isEmpty else {
        throw Failure.failed("the player that was started does not answer")
      }
      guard case .bytes = try Socket.read(report.raw, into: &buffer) else {
        return String(decoding: bytes, as: UTF8.self)
      }
      bytes += buffer.received
    }
  }
}
