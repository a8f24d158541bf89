import LullWire

/// What is said on one connection: `ping` once when it is open, `pong` for a `ping`, a notification for
/// `notify`, what belongs to a call with media (see ``CallLine``), and nothing for any other line.
///
/// It makes no call: what happens goes in, what is to be done comes out, in order.
struct PhoneConversation {
  enum Output: Equatable {
    case print(String)
    case send(PeerLine)
    /// Raise the notification of a call.
    case notify
    /// A line of a call with media.
    case call(CallLine)
  }

  private var splitter = TextLineSplitter()
  private var hasSentPing = false
  /// A keep-alive's `ping` waits for any line.
  private var awaitsLine = false

  /// Whether the program may sleep: nothing is half read, and nothing is waited for.
  var mayFinish: Bool { splitter.pendingBytes == 0 && !awaitsLine }

  mutating func opened() -> [Output] {
    [.print("Connection Opened")]
  }

  /// The connection can be written to; only the first time is of interest.
  mutating func spaceAvailable() -> [Output] {
    guard !hasSentPing else { return [] }
    hasSentPing = true
    return [.send(.ping), .print("Ping sent")]
  }

  /// Bytes came: several lines, or part of one.
  mutating func received(_ bytes: ArraySlice<UInt8>) -> [Output] {
    splitter.append(bytes)
    var outputs: [Output] = []
    while let line = splitter.next() { outputs += received(line) }
    return outputs
  }

  /// The keep-alive handler runs.
  mutating func keepAlive() -> [Output] {
    awaitsLine = true
    return [.send(.ping), .print("Ping sent")]
  }

  /// The peer has finished; what it sent after its last line's end is a line, too.
  mutating func ended() -> [Output] {
    let last = splitter.finish().map { received($0) } ?? []
    awaitsLine = false
    // Nobody is left to read an answer.
    let log = last.prefix { if case .send = $0 { false } else { true } }
    return log + [.print("Connection Closed")]
  }

  private mutating func received(_ line: TextLineSplitter.Line) -> [Output] {
    awaitsLine = false
    switch line {
    case .tooLong: return [.print("Received: (a line of more than \(Limits.maximumTextLine) bytes, ignored)")]
    case .line(let bytes):
      let line = PeerLine(bytes)
      let log = Output.print("Received: \(Printable.text(line.text))")
      switch line {
      case .ping: return [log, .send(.pong), .print("Pong sent")]
      case .notify: return [log, .notify]
      case .pong: return [log]
      case .other(let text): return [log] + other(text)
      }
    }
  }

  private func other(_ text: String) -> [Output] {
    do throws(CallLine.Mistake) {
      return try CallLine(text).map { [.call($0)] } ?? []
    } catch {
      return [.print("Had error: \(error)")]
    }
  }
}
