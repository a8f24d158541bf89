import LullSystem
import LullWire

/// A connection to the daemon: one request after the other, each answered within ``bound``; notices are kept.
struct Connection: ~Copyable {
  /// What `receive` found.
  enum Incoming {
    case message(Message)
    case nothing
    case closed
  }

  /// The answer to a request that was carried out.
  struct Response {
    /// The records before the last line.
    var items: [Message] = []
    /// The last line.
    var ok: Message
  }

  /// How long the daemon may take to answer, in nanoseconds. It answers at once or it hangs.
  static let bound: Int64 = 5_000_000_000

  /// After so long it is seen whether somebody has stopped the daemon, in nanoseconds.
  private static let doubt: Int64 = 2_000_000_000

  private let socket: Descriptor
  private var buffer = ReceiveBuffer(capacity: 16_384)
  private var reader = LineReader()
  private var notices: [Message] = []

  /// Connects to the control socket.
  ///
  /// Throws `noDaemon` when nobody listens there.
  init(path: String) throws(Failure) {
    do {
      socket = try UnixSocket.connect(path: path)
    } catch {
      if error.isNoSuchFile || error.isConnectionRefused { throw .noDaemon }
      throw .failed("cannot connect to the daemon at \(path): \(error)")
    }
  }

  /// The descriptor to poll for notices, when ``nextNotice()`` has returned nil.
  var raw: Int32 { socket.raw }

  /// Sends a request, with a descriptor if it has one, and waits for its answer. A long one is given the time
  /// that it takes, as long as it goes on.
  ///
  /// Throws `refused` with the daemon's code and message when it was not carried out.
  mutating func ask(_ request: Request, descriptor: Int32? = nil) throws(Failure) -> Response {
    try send(request, descriptor, Clock.boottime() + Self.bound)
    var items: [Message] = []
    while true {
      let message = try next(until: Clock.boottime() + Self.bound)
      switch message.answer {
      case .item: items.append(message)
      case .event: notices.append(message)
      case .ok, .error, nil:
        return Response(items: items, ok: try okay(message))
      }
    }
  }

  /// A notice that has come, or nil when there is none now.
  ///
  /// Throws `connectionLost` when the daemon closed the connection.
  mutating func nextNotice() throws(Failure) -> Message? {
    if !notices.isEmpty { return notices.removeFirst() }
    while true {
      switch try receive() {
      case .message(let message) where message.answer == .event: return message
      case .message: continue
      case .nothing: return nil
      case .closed: throw .connectionLost
      }
    }
  }

  private func okay(_ message: Message) throws(Failure) -> Message {
    let reply: Reply?
    do { reply = try Reply(message) } catch { throw .unreadable(error) }
    switch reply {
    case .error(let code, let text): throw .refused(code, text)
    case .ok, nil: return message
    }
  }

  private func send(_ request: Request, _ descriptor: Int32?, _ deadline: Int64) throws(Failure) {
    let bytes: [UInt8]
    do { bytes = try request.message().encoded() } catch { throw .failed("the request is too long") }
    var sent = 0
    while sent < bytes.count {
      let outcome: SendOutcome
      do {
        outcome = try UnixSocket.send(
          Array(bytes[sent...]), descriptor: sent == 0 ? descriptor : nil, to: raw)
      } catch {
        throw .failed("cannot write to the daemon: \(error)")
      }
      switch outcome {
      case .sent(let count): sent += count
      case .wouldBlock: try wait(for: .writable, until: deadline)
      // Before a daemon closes a connection that it does not take, it says why.
      case .closed: return
      }
    }
  }

  private mutating func next(until deadline: Int64) throws(Failure) -> Message {
    while true {
      switch try receive() {
      case .message(let message): return message
      case .nothing: try wait(for: .readable, until: deadline)
      case .closed: throw .connectionLost
      }
    }
  }

  private mutating func receive() throws(Failure) -> Incoming {
    while true {
      switch reader.next()?.content {
      case .message(let message): return .message(message)
      case .invalid(let error): throw .unreadable(error)
      case .tooLong: throw .unreadable(.tooLong)
      case nil: break
      }
      do {
        switch try UnixSocket.receive(into: &buffer, from: raw) {
        case .bytes: reader.append(buffer.received)
        case .wouldBlock: return .nothing
        case .endOfStream, .descriptorLost: return .closed
        }
      } catch {
        guard error.isConnectionLost else { throw .failed("cannot read from the daemon: \(error)") }
        return .closed
      }
    }
  }

  private func wait(for interest: Interest, until deadline: Int64) throws(Failure) {
    let left = deadline - Clock.boottime()
    guard left > 0 else {
      throw .failed(
        "the daemon does not answer (waited \(DurationText.text(seconds: Double(Self.bound) / 1e9)))")
    }
    let undoubted = left - (Self.bound - Self.doubt)
    do {
      if undoubted > 0 {
        let milliseconds = Int32(undoubted / 1_000_000 + 1)
        if try !Socket.poll(raw, interest, timeoutMilliseconds: milliseconds).isEmpty { return }
        return Leftover.continueDaemon()
      }
      _ = try Socket.poll(raw, interest, timeoutMilliseconds: Int32(left / 1_000_000 + 1))
    } catch {
      throw .failed("cannot wait for the daemon: \(error)")
    }
  }
}
