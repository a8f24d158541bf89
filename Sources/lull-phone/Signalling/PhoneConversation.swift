import LullWire

/// The conversation on one connection: `ping` once when it is open, `pong` for a `ping`, a notification for
/// `notify`, the text lines of a call with media (see ``CallMessage``), and nothing for any other text line.
///
/// It makes no system call: events go in, actions come out, in order.
struct PhoneConversation {
  enum Output: Equatable {
    case print(String)
    case send(PeerLine)
    case notify
    case call(CallMessage)
  }

  private var splitter = TextLineSplitter()
  private var hasSentPing = false
  /// A keep-alive's `ping` waits for any text line.
  private var awaitsLine = false

  init() {}

  /// Goes on with a connection of the phone's last life, by the state that it had.
  init(state: [UInt8]) {
    hasSentPing = state.first == UInt8(ascii: "p")
    splitter.append(state.dropFirst())
  }

  /// The state by which the next life of the phone goes on: whether the first `ping` was sent, and what has
  /// come of a text line.
  var state: [UInt8] { [UInt8(ascii: hasSentPing ? "p" : "-")] + splitter.pending }

  /// Nothing is half read, and no answer is awaited.
  var mayFinish: Bool { splitter.pendingBytes == 0 && !awaitsLine }

  mutating func opened() -> [Output] { [.print("Connection Opened")] }

  /// Only the first time matters.
  mutating func spaceAvailable() -> [Output] {
    guard !hasSentPing else { return [] }
    hasSentPing = true
    return [.send(.ping), .print("Ping sent")]
  }

  /// Several text lines, or a part of one.
  mutating func received(_ bytes: ArraySlice<UInt8>) -> [Output] {
    splitter.append(bytes)
    var outputs: [Output] = []
    while let text = splitter.next() { outputs += received(text) }
    return outputs
  }

  mutating func keepAlive() -> [Output] {
    awaitsLine = true
    return [.send(.ping), .print("Ping sent")]
  }

  /// Bytes after the last line end are a text line, too.
  mutating func ended() -> [Output] {
    let last = splitter.finish().map { received($0) } ?? []
    awaitsLine = false
    // Answers are dropped: the peer does not read them any more.
    let log = last.prefix { if case .send = $0 { false } else { true } }
    return log + [.print("Connection Closed")]
  }

  private mutating func received(_ text: TextLineSplitter.Line) -> [Output] {
    awaitsLine = false
    switch text {
    case .tooLong: return [.print("Received: (a line of more than \(Limits.maximumTextLine) bytes, ignored)")]
    case .line(let bytes):
      let text = PeerLine(bytes)
      let log = Output.print("Received: \(Printable.text(text.text))")
      switch text {
      case .ping: return [log, .send(.pong), .print("Pong sent")]
      case .notify: return [log, .notify]
      case .pong: return [log]
      case .other(let text): return [log] + other(text)
      }
    }
  }

  private func other(_ text: String) -> [Output] {
    do throws(CallMessage.ParseError) {
      return try CallMessage(text).map { [.call($0)] } ?? []
    } catch {
      return [.print("Had error: \(error)")]
    }
  }
}
