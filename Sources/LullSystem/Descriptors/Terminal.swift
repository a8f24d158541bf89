internal import Glibc

package enum Terminal {
  package static func isTerminal(_ raw: Int32) -> Bool {
    isatty(raw) == 1
  }

  /// The characters that fit into a line of a terminal; nil for anything else, and where the terminal does
  /// not know its size. The corresponding C function is `ioctl(TIOCGWINSZ)`.
  package static func columns(_ raw: Int32) -> Int? {
    size(raw).flatMap { $0.ws_col > 0 ? Int($0.ws_col) : nil }
  }

  /// Nil as with `columns`. The corresponding C function is `ioctl(TIOCGWINSZ)`.
  package static func rows(_ raw: Int32) -> Int? {
    size(raw).flatMap { $0.ws_row > 0 ? Int($0.ws_row) : nil }
  }

  private static func size(_ raw: Int32) -> winsize? {
    var size = winsize()
    return unsafe ioctl(raw, UInt(TIOCGWINSZ), &size) == 0 ? size : nil
  }

  /// This process belongs to the foreground process group of the terminal. Also true when the descriptor is
  /// no terminal of this process: no shell has put the process into the background there.
  package static func isForeground(_ raw: Int32) -> Bool {
    let group = tcgetpgrp(raw)
    return group == -1 || group == getpgrp()
  }
}
