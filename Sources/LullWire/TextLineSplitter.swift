/// Splits a byte stream into text lines: several in one segment, one in several.
///
/// It holds at most ``Limits/maximumTextLine`` bytes and one read, when ``next()`` is called until it returns
/// nil after each append.
public struct TextLineSplitter: Sendable {
  /// One line.
  public enum Line: Equatable, Sendable {
    /// The bytes without LF or CR LF.
    case line(ArraySlice<UInt8>)
    /// A line longer than the limit; it is passed over to its end.
    case tooLong
  }

  private let maximumLine: Int
  private var buffer: [UInt8] = []
  private var head = 0
  private var scanned = 0
  private var isSkipping = false

  /// Makes a splitter; `maximumLine` counts the LF.
  public init(maximumLine: Int = Limits.maximumTextLine) {
    precondition(maximumLine > 0, "a line has room for its LF")
    self.maximumLine = maximumLine
  }

  /// How many bytes wait for the rest of their line.
  public var pendingBytes: Int { buffer.count - head }

  /// Adds the bytes of one read.
  public mutating func append(_ bytes: ArraySlice<UInt8>) {
    buffer.removeSubrange(0..<head)
    scanned -= head
    head = 0
    buffer.append(contentsOf: bytes)
  }

  /// The next line, or nil until more bytes come.
  public mutating func next() -> Line? {
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

  /// The bytes after the last LF when the peer has closed the connection, or nil when there are none.
  public mutating func finish() -> Line? {
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
