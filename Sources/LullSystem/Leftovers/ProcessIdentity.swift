internal import Glibc

/// A process for ever: its number can be given again, but not with the same time of its start.
public struct ProcessIdentity: Hashable, Sendable {
  /// Its number.
  public let pid: Int32
  /// When it was started, in clock ticks since boot.
  public let start: UInt64

  /// A process that was known; nil for a number that names no single process to be signalled: 0, those below
  /// it, which mean groups, and 1.
  public init?(pid: Int32, start: UInt64) {
    guard pid > 1 else { return nil }
    (self.pid, self.start) = (pid, start)
  }

  /// The process that has this number now. ENOENT: none. The corresponding C function is `read` of
  /// `/proc/PID/stat`.
  public static func current(_ pid: Int32) throws(SystemError) -> ProcessIdentity {
    let start = try Process.startTime(of: pid)
    guard let identity = ProcessIdentity(pid: pid, start: start) else {
      throw SystemError(code: ESRCH, call: "process \(pid)")
    }
    return identity
  }

  /// A descriptor of this process and of no other; nil when it has ended.
  /// The corresponding C functions are `pidfd_open` and `read` of `/proc/PID/stat`.
  public func open() -> DescriptorBox? {
    // Opened first: from then on the number cannot come to mean another process unnoticed.
    guard let pidfd = try? Process.pidfdOpen(pid), (try? Process.startTime(of: pid)) == start else {
      return nil
    }
    return DescriptorBox(pidfd)
  }

  /// Whether it is there, ended and not yet reaped included.
  /// The corresponding C function is `read` of `/proc/PID/stat`.
  public var exists: Bool { (try? Process.startTime(of: pid)) == start }
}
