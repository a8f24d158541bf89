import LullSystem
import TestSupport
import Testing

/// A terminal of 80 columns and 24 rows on which `lull` runs alone.
final class WatchedScreen {
  static let enter = "\u{1B}[?1049h"
  static let leave = "\u{1B}[?1049l"

  let child: ConnectedChild
  private let terminal: PseudoTerminal
  private var bytes: [UInt8] = []

  init(_ lull: Lull, _ arguments: [String]) throws {
    terminal = try PseudoTerminal()
    let script = "exec <>\(terminal.path) >&0 2>&1; stty rows 24 columns 80; exec \"$@\""
    let words = try ["sh", "-c", script, "sh", Built.program("lull")] + arguments
    child = try ConnectedChild(words, environment: lull.environment + ["TERM=xterm"], group: .newSession)
  }

  /// Everything that was written since the last call, when it has what was waited for.
  func text(with part: String) throws -> String {
    let deadline = Deadline()
    var buffer = ReceiveBuffer(capacity: 4096)
    while !String(decoding: bytes, as: UTF8.self).contains(part) {
      try deadline.wait(
        terminal.screen.box.raw, .readable,
        for: "\(part) on the screen, which shows \(String(decoding: bytes, as: UTF8.self))")
      guard case .bytes = try StandardStreams.read(terminal.screen.box.raw, into: &buffer) else { break }
      bytes += buffer.received
    }
    defer { bytes = [] }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The rows of a text, without the codes that steer the terminal.
  static func rows(_ text: String) -> [String] {
    let plain = text.replacing(/\u{1B}\[[0-9;?]*[A-Za-z]/, with: "")
    return plain.split(whereSeparator: \.isNewline).map(String.init)
  }

  func press(_ key: UInt8) throws { try StandardStreams.write([key], to: terminal.screen.box.raw) }

  func resize(columns: Int) throws {
    let stty = try ConnectedChild(["sh", "-c", "stty columns \(columns) <\(terminal.path)"])
    try #require(try stty.end() == .exited(0))
  }
}
