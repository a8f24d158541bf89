internal import Glibc

/// In characters, each 1 to 65535.
package struct TerminalSize: Equatable, Sendable {
  package let columns: Int
  package let rows: Int

  package static let usual = TerminalSize(columns: 80, rows: 24)

  /// A number out of bounds becomes the nearest one within.
  package init(columns: Int, rows: Int) {
    self.columns = min(max(1, columns), 65_535)
    self.rows = min(max(1, rows), 65_535)
  }
}

package enum Terminal {
  package static func isTerminal(_ raw: Int32) -> Bool { isatty(raw) == 1 }

  /// This process belongs to the foreground process group of the terminal. Also true when the descriptor is
  /// no terminal of this process: no shell has put the process into the background there.
  package static func isForeground(_ raw: Int32) -> Bool {
    let group = tcgetpgrp(raw)
    return group == -1 || group == getpgrp()
  }

  /// Makes a terminal the controlling one of this process's session, with this process's group in the
  /// foreground. EPERM: this process leads no session, or the session or the terminal has another one.
  package static func takeControl(_ raw: Int32) throws(SystemError) {
    try systemCall("ioctl(TIOCSCTTY)") { ioctl(raw, UInt(TIOCSCTTY), 0) }
  }

  /// The characters that fit into a line; nil for anything but a terminal, and where the terminal does not
  /// know its size. The corresponding C function is `ioctl(TIOCGWINSZ)`.
  package static func columns(_ raw: Int32) -> Int? {
    window(raw).flatMap { $0.ws_col > 0 ? Int($0.ws_col) : nil }
  }

  /// The lines that a terminal shows; nil where `columns` is. The corresponding C function is
  /// `ioctl(TIOCGWINSZ)`.
  package static func rows(_ raw: Int32) -> Int? {
    window(raw).flatMap { $0.ws_row > 0 ? Int($0.ws_row) : nil }
  }

  package static func size(_ raw: Int32) -> TerminalSize? {
    guard let window = window(raw), window.ws_col > 0, window.ws_row > 0 else { return nil }
    return TerminalSize(columns: Int(window.ws_col), rows: Int(window.ws_row))
  }

  private static func window(_ raw: Int32) -> winsize? {
    var size = winsize()
    return unsafe ioctl(raw, UInt(TIOCGWINSZ), &size) == 0 ? size : nil
  }

  /// The kernel sends SIGWINCH to the foreground process group when the size is another one.
  package static func setSize(_ raw: Int32, _ size: TerminalSize) throws(SystemError) {
    var window = winsize()
    window.ws_col = UInt16(size.columns)
    window.ws_row = UInt16(size.rows)
    try systemCall("ioctl(TIOCSWINSZ)") { unsafe ioctl(raw, UInt(TIOCSWINSZ), &window) }
  }
}
