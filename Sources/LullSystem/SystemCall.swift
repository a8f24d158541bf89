internal import Glibc

enum DescriptorOrigin {
  /// Opened by this process: EBADF is a bug here, and going on would touch somebody else's file, so it traps.
  case own
  /// Received from another process: an O_PATH descriptor, or one opened for the other direction, gives EBADF
  /// too, and a client must not be able to bring the daemon down with it, so EBADF is an error like any
  /// other.
  case foreign
}

/// Repeats a call that was interrupted by a signal; -1 becomes the error that `errno` names.
@inline(__always)
@discardableResult
func systemCall<Result: FixedWidthInteger & SignedInteger>(
  _ name: String, on origin: DescriptorOrigin = .own, _ call: () -> Result
) throws(SystemError) -> Result {
  while true {
    let result = call()
    if result != -1 { return result }
    let error = SystemError(name)
    if error.code == EINTR { continue }
    precondition(origin == .foreign || error.code != EBADF, "bad descriptor")
    throw error
  }
}

/// Nil where the process, or what is to be read of it, is gone (ENOENT, ESRCH).
@inlinable
package func unlessGone<Value>(
  _ call: @autoclosure () throws(SystemError) -> Value
) throws(SystemError) -> Value? {
  do {
    return try call()
  } catch {
    guard error.isNoSuchFile || error.isNoSuchProcess else { throw error }
    return nil
  }
}

/// The time that a waiting call has left, so that an interruption (every thaw is one) does not prolong it.
struct RemainingTime {
  private let deadline: Int64
  private let asked: Int32

  init(milliseconds: Int32) {
    asked = milliseconds
    deadline = milliseconds > 0 ? Clock.boottime() + Int64(milliseconds) * 1_000_000 : 0
  }

  /// Milliseconds still to wait, -1 for ever.
  var remaining: Int32 {
    guard asked > 0 else { return asked }
    let nanoseconds = deadline - Clock.boottime()
    return nanoseconds <= 0 ? 0 : Int32(clamping: (nanoseconds + 999_999) / 1_000_000)
  }
}
