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
