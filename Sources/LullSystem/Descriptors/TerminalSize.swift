internal import Glibc

/// The size of a terminal in characters.
package struct TerminalSize: Equatable, Sendable {
  /// The characters of a line, 1 to 65535.
  package let columns: Int
  /// The lines, 1 to 65535.
  package let rows: Int

  package static let usual = TerminalSize(columns: 80, rows: 24)

  /// A size; what is out of bounds becomes the nearest that is not.
  package init(columns: Int, rows: Int) {
    self.columns = min(max(1, columns), 65_535)
    self.rows = min(max(1, rows), 65_535)
  }
}

extension Terminal {
  /// The size of a terminal; nil for anything else, and where the terminal does not know its size.
  package static func size(_ raw: Int32) -> TerminalSize? {
    var size = winsize()
    guard unsafe ioctl(raw, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
      return nil
    }
    return TerminalSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
  }

  /// Sets the size of a terminal. The kernel sends SIGWINCH to the foreground process group when the size is
  /// another one.
  package static func setSize(_ raw: Int32, _ size: TerminalSize) throws(SystemError) {
    var window = winsize()
    window.ws_col = UInt16(size.columns)
    window.ws_row = UInt16(size.rows)
    try systemCall("ioctl(TIOCSWINSZ)") { unsafe ioctl(raw, UInt(TIOCSWINSZ), &window) }
  }
}
