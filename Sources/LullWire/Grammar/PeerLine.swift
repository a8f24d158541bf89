/// A text line of the ping, pong, notify protocol over TCP, for which `nc -l 10000` is a full server.
package enum PeerLine: Equatable, Sendable {
  case ping
  case pong
  case notify
  /// Any other text line, which gets no answer.
  case other(String)

  /// Reads a text line: white space at its end does not count, everything else must match exactly.
  ///
  /// Bytes that are not UTF-8 are replaced by U+FFFD.
  package init(_ bytes: ArraySlice<UInt8>) {
    var line = bytes
    while let last = line.last, Self.isWhiteSpace(last) { line.removeLast() }
    let text = String(decoding: line, as: UTF8.self)
    self =
      switch text {
      case PeerLine.ping.text: .ping
      case PeerLine.pong.text: .pong
      case PeerLine.notify.text: .notify
      default: .other(text)
      }
  }

  package var text: String {
    switch self {
    case .ping: "ping"
    case .pong: "pong"
    case .notify: "notify"
    case .other(let text): text
    }
  }

  package var bytes: [UInt8] { Array(text.utf8) + [Grammar.lineFeed] }

  private static func isWhiteSpace(_ byte: UInt8) -> Bool {
    byte == Grammar.space || (byte >= 0x09 && byte <= 0x0D)
  }
}

/// Splits a byte stream into text lines. A segment may bring several lines, and a line may come in several
/// segments.
///
/// The splitter holds at most ``Limits/maximumTextLine`` bytes and one read, if ``next()`` is called until it
/// returns nil after each append.
package struct TextLineSplitter: Sendable {
  package enum Line: Equatable, Sendable {
    /// The bytes without LF or CR LF.
    case line(ArraySlice<UInt8>)
    /// A text line longer than the limit, which is passed over to its end.
    case tooLong
  }

  private let maximumLine: Int
  private var buffer: [UInt8] = []
  private var head = 0
  private var scanned = 0
  private var isSkipping = false

  /// `maximumLine` counts the LF.
  package init(maximumLine: Int = Limits.maximumTextLine) {
    precondition(maximumLine > 0, "a line has room for its LF")
    self.maximumLine = maximumLine
  }

  package var pendingBytes: Int { buffer.count - head }
  package var pending: ArraySlice<UInt8> { buffer[head...] }

  package mutating func append(_ bytes: ArraySlice<UInt8>) {
    buffer.removeSubrange(0..<head)
    scanned -= head
    head = 0
    buffer.append(contentsOf: bytes)
  }

  /// Nil until more bytes come.
  package mutating func next() -> Line? {
    while true {
      guard let end = findLineFeed() else { return overflow() }
      let start = head
      head = end + 1
      scanned = head
      if isSkipping {
        isSkipping = false
      } else if end - start >= maximumLine {
        return .tooLong
      } else {
        return .line(trimmed(start..<end))
      }
    }
  }

  /// The bytes after the last LF, once the peer has closed the connection; nil without any.
  package mutating func finish() -> Line? {
    defer { self = TextLineSplitter(maximumLine: maximumLine) }
    guard !isSkipping, pendingBytes > 0 else { return nil }
    return .line(trimmed(head..<buffer.count))
  }

  private mutating func findLineFeed() -> Int? {
    let place = buffer.span.firstLineFeed(from: scanned)
    scanned = place ?? buffer.count
    return place
  }

  private mutating func overflow() -> Line? {
    guard isSkipping || pendingBytes >= maximumLine else { return nil }
    buffer.removeAll(keepingCapacity: true)
    head = 0
    scanned = 0
    defer { isSkipping = true }
    return isSkipping ? nil : .tooLong
  }

  private func trimmed(_ range: Range<Int>) -> ArraySlice<UInt8> {
    let line = buffer[range]
    return line.last == Grammar.carriageReturn ? line.dropLast() : line
  }
}
