internal import CLinux
internal import Glibc

/// A system call that failed: its name and the kernel's error number.
public struct SystemError: Error, Equatable, Sendable {
  /// The error number (`errno`).
  public let code: Int32
  /// The name of the call, for the reader of a message.
  public let call: String

  /// An error with a number that is known.
  public init(code: Int32, call: String) {
    self.code = code
    self.call = call
  }

  /// The error of the call that has just failed; reads `errno`, so nothing may come between the two.
  public init(_ call: String) {
    self.code = errno
    self.call = call
  }
}

extension SystemError {
  /// Nothing to read, or no room to write, now (EAGAIN).
  public var isWouldBlock: Bool { code == EAGAIN || code == EWOULDBLOCK }
  /// The kernel does not allow it (EPERM, EACCES).
  public var isNotPermitted: Bool { code == EPERM || code == EACCES }
  /// There is no such file (ENOENT).
  public var isNoSuchFile: Bool { code == ENOENT }
  /// There is no such process any more (ESRCH).
  public var isNoSuchProcess: Bool { code == ESRCH }
  /// The caller has no such child (ECHILD).
  public var isNoChild: Bool { code == ECHILD }
  /// The number is no open descriptor, or the descriptor cannot do this (EBADF).
  public var isBadDescriptor: Bool { code == EBADF }
  /// The file exists already (EEXIST).
  public var isExisting: Bool { code == EEXIST }
  /// The object is in use (EBUSY).
  public var isBusy: Bool { code == EBUSY }
  /// The path leads to something else than a directory, or to a link (ENOTDIR, ELOOP).
  public var isNotADirectory: Bool { code == ENOTDIR || code == ELOOP }
  /// The object behind the file is gone, such as a cgroup that was removed (ENODEV).
  public var isNoSuchDevice: Bool { code == ENODEV }
  /// The process or the machine has no descriptor left (EMFILE, ENFILE).
  public var isOutOfDescriptors: Bool { code == EMFILE || code == ENFILE }
  /// The peer broke the connection (ECONNRESET, EPIPE).
  public var isConnectionLost: Bool { code == ECONNRESET || code == EPIPE }
  /// Nobody listens there (ECONNREFUSED).
  public var isConnectionRefused: Bool { code == ECONNREFUSED }
  /// The file is not a program that can be run (EACCES, ENOEXEC, EISDIR).
  public var isNotExecutable: Bool { code == EACCES || code == ENOEXEC || code == EISDIR }
  package var isUnsupported: Bool {
    code == ENOTTY || code == EOPNOTSUPP || code == ENOTCONN || code == EINVAL
  }
  /// There is no medium, of which sd-bus speaks where no address of a bus is known (ENOMEDIUM).
  package var isNoMedium: Bool { code == ENOMEDIUM }
  /// There are more than were asked for (E2BIG).
  public var isTooMany: Bool { code == E2BIG }
  /// No room for more bytes: a full disk, a quota, the largest size of a file (ENOSPC, EDQUOT, EFBIG).
  package var isNoSpace: Bool { code == ENOSPC || code == EDQUOT || code == EFBIG }
  /// The device is gone, or the other end of a terminal (EIO).
  package var isInputOutput: Bool { code == EIO }

  /// The kernel's text for the number, e.g. "Operation not permitted".
  public var message: String { unsafe String(cString: strerror(code)) }
}

extension SystemError: CustomStringConvertible {
  /// For example "pidfd_getfd: Operation not permitted (EPERM)".
  public var description: String {
    guard let name = unsafe clinux_error_name(code) else { return "\(call): error \(code)" }
    return unsafe "\(call): \(message) (\(String(cString: name)))"
  }
}

extension SystemError {
  /// There are more than were asked for (E2BIG).
  public static func tooMany(_ call: String) -> SystemError { SystemError(code: E2BIG, call: call) }

  /// A text of another program or of the kernel is not as expected (EINVAL).
  public static func invalid(_ call: String) -> SystemError { SystemError(code: EINVAL, call: call) }

  static func wouldBlock(_ call: String) -> SystemError { SystemError(code: EAGAIN, call: call) }

  static func noSpace(_ call: String) -> SystemError { SystemError(code: ENOSPC, call: call) }

  /// The object does not exist (ENOENT).
  public static func missing(_ call: String) -> SystemError { SystemError(code: ENOENT, call: call) }

  /// A number means another file than it did (ESTALE).
  public static func stale(_ call: String) -> SystemError { SystemError(code: ESTALE, call: call) }

  /// A number is not open any more (EBADF).
  public static func notOpen(_ call: String) -> SystemError { SystemError(code: EBADF, call: call) }

  /// The kernel, or a rule that stands for it, does not allow it (EACCES).
  public static func notPermitted(_ call: String) -> SystemError { SystemError(code: EACCES, call: call) }

  /// The event did not come in time (ETIMEDOUT).
  public static func timedOut(_ call: String) -> SystemError {
    SystemError(code: ETIMEDOUT, call: call)
  }
}

/// The meaning of ALSA's error numbers for a stream of sound.
extension SystemError {
  /// A device that plays has run dry, or one that captures has run over (EPIPE).
  public var isOverOrUnderrun: Bool { code == EPIPE }
  /// The machine slept while the stream ran (ESTRPIPE).
  public var isStreamSuspended: Bool { code == ESTRPIPE }
  /// The device leads to a sound server that does not run (ECONNREFUSED of PulseAudio's plugin, EHOSTDOWN of
  /// PipeWire's).
  public var isServerMissing: Bool { code == ECONNREFUSED || code == EHOSTDOWN }
}
