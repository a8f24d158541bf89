internal import Glibc

extension SystemError {
  /// What did not happen in time, told as the kernel tells it (ETIMEDOUT).
  public static func timedOut(_ call: String) -> SystemError {
    SystemError(code: ETIMEDOUT, call: call)
  }
}
