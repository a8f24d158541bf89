import Glibc
import LullSystem
import TestSupport
import Testing

/// An interactive bash on a terminal of its own, typed to by the test.
final class ShellSession {
  private let terminal: PseudoTerminal
  let shell: ConnectedChild
  private var shown = ""

  init(_ lull: Lull) throws {
    try Executables.require("bash", package: "bash")
    terminal = try PseudoTerminal()
    let binaries = try String(Built.program("lull").dropLast("/lull".count))
    let script = "exec <>\(terminal.path) >&0 2>&1; cd \"$1\"; exec bash --norc --noprofile -i"
    shell = try ConnectedChild(
      ["sh", "-c", script, "sh", lull.sandbox.directory],
      environment: lull.environment + ["PATH=\(binaries):/usr/bin:/bin:/usr/sbin:/sbin", "PS1=$ "],
      group: .newSession)
    try wait(for: "$ ")
  }

  deinit { try? shell.signal(Signal.kill) }

  /// Types a line.
  func type(_ line: String) throws { try keys(line + "\n") }

  /// Types characters as they are.
  func keys(_ text: String) throws {
    try StandardStreams.write(Array(text.utf8), to: terminal.screen.box.raw)
  }

  /// Presses a key together with Ctrl.
  func control(_ letter: Character) throws {
    try keys(String(UnicodeScalar((letter.asciiValue ?? 0) & 0x1F)))
  }

  /// Waits until a text is shown, after what was waited for before. A text that the typed line itself holds
  /// must be made by the shell: `echo done$((1+1))`.
  func wait(for text: String) throws {
    let deadline = Deadline()
    var buffer = ReceiveBuffer(capacity: 65_536)
    while true {
      if let place = shown.firstRange(of: text) {
        shown = String(shown[place.upperBound...])
        return
      }
      try deadline.wait(terminal.screen.box.raw, .readable, for: "\(text); shown: \(shown)")
      guard case .bytes = try StandardStreams.read(terminal.screen.box.raw, into: &buffer) else { continue }
      shown += String(decoding: buffer.received, as: UTF8.self)
    }
  }

  /// Types a command and waits for the text that it shows.
  func ask(_ line: String, _ text: String) throws {
    try type(line)
    try wait(for: text)
  }

  /// The process group that gets the keys.
  func foregroundGroup() throws -> Int32 {
    let group = tcgetpgrp(terminal.screen.box.raw)
    try Kernel.check(group < 0 ? -1 : 0)
    return group
  }

  func resize(rows: UInt16, columns: UInt16) throws {
    var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    try Kernel.check(unsafe ioctl(terminal.screen.box.raw, UInt(TIOCSWINSZ), &size))
  }
}
