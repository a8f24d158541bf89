internal import Glibc

extension Terminal {
  /// Whether this process belongs to the foreground process group of the terminal behind the descriptor; true
  /// when it is no terminal of this process, since no shell has put it into the background there.
  ///
  /// The corresponding C function is `tcgetpgrp`.
  public static func isForeground(_ raw: Int32) -> Bool {
    let group = tcgetpgrp(raw)
    return group == -1 || group == getpgrp()
  }
}
