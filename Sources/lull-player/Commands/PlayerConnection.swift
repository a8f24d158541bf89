import LullChannel
import LullSystem
import LullWire

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
    let complaint: String
    do {
      let directory = try RuntimeDirectory.ensure()
      complaint = try start(log: Files.create(directory + "/player.log"))
    } catch {
      throw .failed("the player cannot be started: \(error)")
    }
    if let reason = complaint.split(separator: "\n").last { throw .failed(String(reason)) }
    if let connection = try connect() { return connection }
    throw .failed("the player that was started has ended; run \"lull-player daemon\" to see why")
  }

  /// Starts the player and returns what it reports.
  private static func start(log: borrowing Descriptor) throws(SystemError) -> String {
    let (ours, theirs) = try UnixSocket.pair()
    let null = try Files.openNull()
    var request = SpawnRequest([try Process.executablePath(), "daemon", "--started"])
    (request.standardInput, request.standardOutput, request.standardError) = (null.raw, null.raw, log.raw)
    request.passed = [SpawnRequest.Passed(theirs.raw, as: reportDescriptor)]
    request.group = .newSession
    let child = try Process.spawn(request)
    theirs.close()
    _ = try Socket.poll(child.execStatus.raw, .readable, timeoutMilliseconds: patience)
    if case .failed(let error) = try Process.execResult(child.execStatus.raw) { throw error }
    var buffer = ReceiveBuffer(capacity: 4096)
    var bytes: [UInt8] = []
    while true {
      guard try !Socket.poll(ours.raw, .readable, timeoutMilliseconds: patience).isEmpty else {
        return "the player that was started does not answer"
      }
      guard case .bytes = try Socket.read(ours.raw, into: &buffer) else {
        return String(decoding: bytes, as: UTF8.self)
      }
      bytes += buffer.received
    }
  }
}

/// A command's connection to the player.
struct PlayerConnection: ~Copyable {
  /// The time that the player may take to answer, in nanoseconds: it may have to be woken and to open a file.
  private static let bound: Int64 = 10_000_000_000
  /// The most requests on their way at once: the player stops reading a client that takes no answers.
  private static let together = 16

  private let channel: MessageChannel
  private var buffer = ReceiveBuffer(capacity: Limits.maximumLine)

  /// The descriptor that is readable when a message may have come, and ``next(until:)`` has none.
  var raw: Int32 { channel.socket.raw }

  /// Nil when no player runs.
  init?(path: String) throws(Failure) {
    do {
      channel = MessageChannel(DescriptorBox(try UnixSocket.connect(path: path)), overload: .dropPeer)
    } catch {
      if error.isNoSuchFile || error.isConnectionRefused { return nil }
      throw .failed("cannot connect to the player at \(path): \(error)")
    }
  }

  /// Sends a request and returns the messages of its answer, the last of them `ok`. Throws the player's
  /// refusal.
  mutating func ask(_ request: Message) throws(Failure) -> [Message] {
    try send(request)
    return try answer().get()
  }

  mutating func report(_ request: Message) throws(Failure) -> StatusReport? {
    try ask(request).last.flatMap { StatusReport($0) }
  }

  /// Sends requests and returns the last message of each answer. Several requests are on their way at once,
  /// which the player answers together.
  mutating func ask(_ requests: [Message]) throws(Failure) -> [Result<Message, Failure>] {
    var answers: [Result<Message, Failure>] = []
    for start in stride(from: 0, to: requests.count, by: Self.together) {
      let some = requests[start...].prefix(Self.together)
      for request in some { try send(request) }
      for _ in some { answers.append(try answer().map { $0[$0.count - 1] }) }
    }
    return answers
  }

  private mutating func answer() throws(Failure) -> Result<[Message], Failure> {
    let deadline = Clock.boottime() + Self.bound
    var messages: [Message] = []
    while true {
      guard let message = try next(until: deadline) else { throw .failed("the player does not answer") }
      switch message.verb {
      case "ok": return .success(messages + [message])
      case "error": return .failure(.failed(message["message"] ?? "refused"))
      case "changed": continue
      default: messages.append(message)
      }
    }
  }

  /// The next message, waited for until a moment of CLOCK_BOOTTIME in nanoseconds, or for ever when that is
  /// nil; nil when none came.
  mutating func next(until deadline: Int64?) throws(Failure) -> Message? {
    let incoming: Incoming?
    do {
      incoming = try channel.next(until: deadline, into: &buffer)
    } catch {
      throw .failed("cannot wait for the player: \(error)")
    }
    switch incoming {
    case nil: return nil
    case .message(let message, _): return message
    case .invalid, .ended(.tooLong): throw .failed("the player's answer cannot be read")
    case .ended(.failed(let error)): throw .failed("cannot read from the player: \(error)")
    case .ended: throw .failed("the player has ended")
    }
  }

  private func send(_ message: Message) throws(Failure) {
    do { channel.queue(line: try message.encoded()) } catch { throw .failed("the path is too long") }
    switch channel.flush() {
    case .complete, .waiting: break
    case .ended(.failed(let error)): throw .failed("cannot write to the player: \(error)")
    case .ended: throw .failed("the player has ended")
    }
  }
}
