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

extension Terminal {
  /// Nil for anything but a terminal, and where the terminal does not know its size.
  package static func size(_ raw: Int32) -> TerminalSize? {
    var size = winsize()
    guard unsafe ioctl(raw, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
      return nil
    }
    return TerminalSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
  }

  /// The kernel sends SIGWINCH to the foreground process group when the size is another one.
  package static func setSize(_ raw: Int32, _ size: TerminalSize) throws(SystemError) {
    var window = winsize()
    window.ws_col = UInt16(size.columns)
    window.ws_row = UInt16(size.rows)
    try systemCall("ioctl(TIOCSWINSZ)") { unsafe ioctl(raw, UInt(TIOCSWINSZ), &window) }
  }
}
