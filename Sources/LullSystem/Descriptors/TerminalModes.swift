internal import Glibc

/// The modes of a terminal for keys and output.
package struct TerminalModes {
  private var settings: termios

  /// ENOTTY: the descriptor is no terminal.
  package init(of raw: Int32) throws(SystemError) {
    var settings = termios()
    try systemCall("tcgetattr", on: .foreign) { unsafe tcgetattr(raw, &settings) }
    self.settings = settings
  }

  /// The time after which a `read` returns without a key, in nanoseconds; nil when it waits for one. See
  /// termios(3), VMIN and VTIME.
  package var readTimeOut: Int64? {
    guard settings.c_lflag & tcflag_t(ICANON) == 0, settings.c_cc.6 == 0 else {
      return nil
    }
    let tenths = Int64(settings.c_cc.5)
    return tenths == 0 ? nil : tenths * 100_000_000
  }

  /// These modes, but every key arrives at once and as it is, without echo and without signals.
  package var uncooked: TerminalModes {
    var modes = self
    unsafe cfmakeraw(&modes.settings)
    return modes
  }

  /// These modes, but every key arrives at once and without echo; Ctrl-C and its kind still make signals, and
  /// output stays as it is.
  package var keyed: TerminalModes {
    var modes = self
    modes.settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
    return modes
  }

  /// The modes count at once, and what was typed before stays. A process in the background must ignore
  /// SIGTTOU, or it is stopped here.
  package func set(_ raw: Int32) throws(SystemError) {
    var settings = settings
    try systemCall("tcsetattr", on: .foreign) { unsafe tcsetattr(raw, TCSANOW, &settings) }
  }
}
