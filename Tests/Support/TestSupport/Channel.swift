package import LullSystem

/// A stream that is read by text lines; every wait has a bound.
package final class Channel {
  package enum End: Equatable {
    /// The peer has finished (FIN).
    case finished
    /// The connection was broken off (RST).
    case broken
  }

  package let box: DescriptorBox
  private let name: String
  private var unread: [UInt8] = []
  package private(set) var end: End?

  package init(_ box: DescriptorBox, name: String) {
    self.box = box
    self.name = name
  }

  /// The next text line without its end.
  package func line(before deadline: Deadline = Deadline()) throws -> String {
    while true {
      if let place = unread.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: unread[..<place], as: UTF8.self)
        unread.removeFirst(place + 1)
        return line
      }
      guard end == nil else {
        throw NothingCame(description: "\(name) ended where a line was expected; left: \(rest)")
      }
      try deadline.wait(box.raw, .readable, for: "a line of \(name); so far: \(rest)")
      try take()
    }
  }

  /// The next text line that fits; the lines before it are passed over.
  package func line(where fits: (String) -> Bool) throws -> String {
    while true {
      let line = try line()
      if fits(line) { return line }
    }
  }

  /// Reads to the end of the stream.
  package func untilEnd() throws -> String {
    let deadline = Deadline()
    while end == nil {
      try deadline.wait(box.raw, .readable, for: "the end of \(name); so far: \(rest)")
      try take()
    }
    defer { unread = [] }
    return rest
  }

  /// Writes everything.
  package func send(_ text: String) throws { try StandardStreams.write(Array(text.utf8), to: box.raw) }

  /// The bytes that have come and were not read, for a failure's description.
  package var unreadText: String {
    try? take()
    return rest
  }

  /// True when no unread bytes have come.
  package func isQuiet() throws -> Bool {
    try take()
    return unread.isEmpty && end == nil
  }

  package func close() { box.close() }

  private var rest: String { String(decoding: unread, as: UTF8.self) }

  private func take() throws {
    var buffer = ReceiveBuffer(capacity: 65_536)
    do {
      switch try Socket.read(box.raw, into: &buffer) {
      case .bytes: unread += buffer.received
      case .wouldBlock: return
      case .endOfStream: end = .finished
      }
    } catch {
      guard error.isConnectionLost else { throw error }
      end = .broken
    }
  }
}
