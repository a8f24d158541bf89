internal import CLinux
internal import Glibc

/// When a timerfd is due.
public struct TimerState: Equatable, Sendable {
  /// Nanoseconds until it is readable; 0 when it is, nil while it is disarmed.
  public let dueIn: Int64?
  /// Whether it follows a clock that wakes a suspended machine.
  public let isAlarm: Bool
}

extension Process {
  /// When a timerfd of a process is due. ENOENT: no such descriptor or process; EINVAL: it is no timerfd.
  /// The corresponding C function is `read` of `/proc/PID/fdinfo/N`.
  public static func timer(of pid: Int32, number: Int32) throws(SystemError) -> TimerState {
    let text = try InfoText("/proc/\(pid)/fdinfo/\(number)")
    guard let clock = text.value("clockid:"), let ticks = text.value("ticks:"),
      let place = text.place(of: "it_value:")
    else { throw SystemError(code: EINVAL, call: "/proc/\(pid)/fdinfo/\(number)") }
    let seconds = text.number(at: place)
    let left =
      Int64(clamping: seconds.value) &* 1_000_000_000 &+ Int64(clamping: text.number(at: seconds.end).value)
    let isAlarm = clock == UInt64(CLOCK_REALTIME_ALARM) || clock == UInt64(CLOCK_BOOTTIME_ALARM)
    return TimerState(dueIn: ticks > 0 ? 0 : left > 0 ? left : nil, isAlarm: isAlarm)
  }

  /// The process for which a process descriptor stands; nil when it has ended. ENOENT: no such descriptor or
  /// process. The corresponding C function is `read` of `/proc/PID/fdinfo/N`.
  public static func watchedProcess(of pid: Int32, number: Int32) throws(SystemError) -> Int32? {
    try InfoText("/proc/\(pid)/fdinfo/\(number)").value("Pid:").flatMap { Int32(exactly: $0) }
  }

  /// Whether an io_uring has files that have no descriptor number; true as well when the kernel does not
  /// tell, because another thread works in it. ENOENT: no such descriptor or process.
  /// The corresponding C function is `read` of `/proc/PID/fdinfo/N`.
  public static func ringHoldsFiles(of pid: Int32, number: Int32) throws(SystemError) -> Bool {
    try InfoText("/proc/\(pid)/fdinfo/\(number)").value("UserFiles:") != 0
  }

  /// Whether a descriptor of this process and one of another stand for the same open file; false where the
  /// kernel does not tell. The corresponding C function is `kcmp(KCMP_FILE)`.
  public static func isSame(_ own: Int32, as number: Int32, of pid: Int32) -> Bool {
    clinux_same_file(getpid(), own, pid, number) == 0
  }
}
