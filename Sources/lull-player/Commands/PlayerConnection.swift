import LullSystem
import LullWire

/// A command's connection to the player.
struct PlayerConnection: ~Copyable {
  /// How long the player may take to answer, in nanoseconds: it may have to be woken and to open a file.
  private static let bound: Int64 = 10_000_000_000

  /// Requests of at most a line each that fit into the socket.
  private static let together = 16

  private let socket: Descriptor
  private var reader = LineReader()
  private var buffer = ReceiveBuffer(capacity: 16_384)

  /// Nil: no player runs.
  init?(path: String) throws(Failure) {
    do {
      socket = try UnixSocket.connect(path: path)
    } catch {
      if error.isNoSuchFile || error.isConnectionRefused { return nil }
      throw .failed("cannot connect to the player at \(path): \(error)")
    }
  }

  /// The descriptor to poll for changes.
  var raw: Int32 { socket.raw }

  /// Sends a request and returns the messages of its answer, the last of them `ok`. Throws what the player
  /// refused.
  mutating func ask(_ request: ControlRequest) throws(Failure) -> [Message] {
    try send(request.message)
    switch try answer() {
    case .success(let messages): return messages
    case .failure(let error): throw error
    }
  }

  /// Sends requests and returns the last message of each answer. Several are on their way at once, which the
  /// player answers together.
  mutating func ask(_ requests: [ControlRequest]) throws(Failure) -> [Result<Message, Failure>] {
    var answers: [Result<Message, Failure>] = []
    for start in stride(from: 0, to: requests.count, by: Self.together) {
      let some = requests[start..<min(requests.count, start + Self.together)]
      for request in some { try send(request.message) }
      for _ in some { answers.append(try answer().map { $0[$0.count - 1] }) }
    }
    return answers
  }

  private mutating func answer() throws(Failure) -> Result<[Message], Failure> {
    let deadline = Clock.boottime() + Self.bound
    var messages: [Message] = []
    while true {
      let left = max(0, deadline - Clock.boottime())
      guard let message = try next(waitingAtMost: Int32(left / 1_000_000)) else {
        throw .failed("the player does not answer")
      }
      switch message.verb {
      case "ok": return .success(messages + [message])
      case "error": return .failure(.failed(message["message"] ?? "refused"))
      case "changed": continue
      default: messages.append(message)
      }
    }
  }

  /// The next message within so many milliseconds (-1: for ever); nil when none came.
  mutating func next(waitingAtMost milliseconds: Int32) throws(Failure) -> Message? {
    while true {
      if let line = reader.next() {
        guard case .message(let message) = line.content else {
          throw .failed("the player's answer cannot be read")
        }
        return message
      }
      do {
        guard try !Socket.poll(raw, .readable, timeoutMilliseconds: milliseconds).isEmpty else { return nil }
        switch try UnixSocket.receive(into: &buffer, from: raw) {
        case .bytes: reader.append(buffer.received)
        case .wouldBlock: continue
        case .endOfStream, .descriptorLost: throw Failure.failed("the player has ended")
        }
      } catch let error as SystemError {
        throw .failed("cannot read from the player: \(error)")
      } catch let error as Failure {
        throw error
      } catch {
        throw .failed("\(error)")
      }
    }
  }

  private func send(_ message: Message) throws(Failure) {
    let bytes: [UInt8]
    do { bytes = try message.encoded() } catch { throw .failed("the path is too long") }
    let outcome: SendOutcome
    do { outcome = try UnixSocket.send(bytes, to: raw) } catch {
      throw .failed("cannot write to the player: \(error)")
    }
    // So many are smaller than the buffer of an empty socket, and the answers to the last ones have been
    // read.
    guard outcome == .sent(bytes.count) else { throw .failed("the player has ended") }
  }
}
