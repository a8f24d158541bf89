internal import Glibc

extension SystemError {
  /// A number means another file than it did (ESTALE).
  public static func stale(_ call: String) -> SystemError { SystemError(code: ESTALE, call: call) }

  /// The same of a number that is not open any more (EBADF).
  public static func notOpen(_ call: String) -> SystemError { SystemError(code: EBADF, call: call) }
}
