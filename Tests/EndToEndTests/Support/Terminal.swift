import LullSystem
import TestSupport
import Testing

/// A terminal of a test's own: keys go to it, and what it shows is read.
final class PseudoTerminal {
  let path: String
  private let ends: LullSystem.PseudoTerminal.Ends
  private var shown: [UInt8] = []

  init(_ size: TerminalSize = .usual) throws {
    ends = try LullSystem.PseudoTerminal.open(size)
    path = try Kernel.link("/proc/self/fd/\(ends.terminal.raw)")
  }

  /// The end with the keys and the screen.
  var master: Int32 { ends.master.raw }

  /// True when keys have come that no program has read.
  var hasUnread: Bool { get throws { try !readyNow(ends.terminal.raw, .readable).isEmpty } }

  func type(_ text: String) throws {
    let deadline = Deadline()
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      switch try StandardStreams.writePart(rest, to: master) {
      case .sent(let count): rest = rest.dropFirst(count)
      case .wouldBlock: try deadline.wait(master, .writable, for: "room for keys")
      case .closed: return
      }
    }
  }

  /// Presses a key together with Ctrl.
  func control(_ letter: Character) throws {
    try type(String(UnicodeScalar((letter.asciiValue ?? 0) & 0x1F)))
  }

  /// Waits until this text has been shown; what was shown before it is returned and forgotten.
  @discardableResult
  func see(_ text: String) throws -> String {
    let deadline = Deadline()
    var buffer = ReceiveBuffer(capacity: 65_536)
    while true {
      let now = String(decoding: shown, as: UTF8.self)
      if let place = now.firstRange(of: text) {
        shown = Array(now[place.upperBound...].utf8)
        return String(now[..<place.lowerBound])
      }
      try deadline.wait(master, .readable, for: "\(text); shown: \(now)")
      guard case .bytes = try StandardStreams.read(master, into: &buffer) else { continue }
      shown += buffer.received
    }
  }

  /// Everything that was shown since the last text, when this one is a part of it.
  func text(with part: String) throws -> String {
    let before = try see(part)
    defer { shown = [] }
    return before + part + String(decoding: shown, as: UTF8.self)
  }

  func setSize(_ size: TerminalSize) throws { try Terminal.setSize(master, size) }

  func hangUp() { ends.master.close() }

  /// Starts lulld as the job of a shell. The shell lets go of the descriptor on which lulld says that it is
  /// ready.
  func lull() throws -> Lull {
    let script = "exec <>\(path) >&0 2>&1; set -m; \"$@\" & exec 9>&-; fg"
    return try Lull(prefix: ["sh", "-c", script, "sh"], group: .newSession)
  }
}
