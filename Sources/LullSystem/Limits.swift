internal import Glibc

/// What this process may use.
public enum Limits {
  /// How many descriptors this process may have open (the soft limit).
  /// The corresponding C function is `getrlimit(RLIMIT_NOFILE)`.
  public static func openFiles() throws(SystemError) -> Int {
    try Int(clamping: read().rlim_cur)
  }

  /// Raises the soft limit of open files to the hard one, and returns it. Programs that are spawned
  /// afterwards should get the old one back (`SpawnRequest.openFileLimit`). The corresponding C function is
  /// `setrlimit(RLIMIT_NOFILE)`.
  @discardableResult
  public static func raiseOpenFiles() throws(SystemError) -> Int {
    var limit = try read()
    limit.rlim_cur = limit.rlim_max
    try systemCall("setrlimit(RLIMIT_NOFILE)") {
      unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
    return Int(clamping: limit.rlim_cur)
  }

  private static func read() throws(SystemError) -> rlimit {
    var limit = rlimit()
    try systemCall("getrlimit(RLIMIT_NOFILE)") {
      unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
    return limit
  }
}
