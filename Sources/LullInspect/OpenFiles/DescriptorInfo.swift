package import LullSystem

package struct TimerState: Equatable, Sendable {
  /// Nanoseconds until the timer is readable; 0 when it is readable now, nil while it is disarmed.
  package let dueIn: Int64?
  /// Its clock wakes a suspended machine.
  package let isAlarm: Bool
}

extension Process {
  /// The time of a timerfd of a process. ENOENT: no such descriptor or process; EINVAL: the descriptor is no
  /// timerfd. The corresponding C function is `read` of `/proc/PID/fdinfo/N`.
  package static func timer(of pid: Int32, number: Int32) throws(SystemError) -> TimerState {
    let text = try InfoText("/proc/\(pid)/fdinfo/\(number)")
    guard let clock = text.value("clockid:"), let ticks = text.value("ticks:"),
      let place = text.place(of: "it_value:")
    else { throw .invalid("/proc/\(pid)/fdinfo/\(number)") }
    let seconds = text.number(at: place)
    let left =
      Int64(clamping: seconds.value) &* 1_000_000_000 &+ Int64(clamping: text.number(at: seconds.end).value)
    return TimerState(
      dueIn: ticks > 0 ? 0 : left > 0 ? left : nil,
      isAlarm: KernelClock(number: Int32(truncatingIfNeeded: clock)).isAlarm)
  }

  /// The process for which a process descriptor stands; nil when it has ended. ENOENT: no such descriptor or
  /// process. The corresponding C function is `read` of `/proc/PID/fdinfo/N`.
  package static func watchedProcess(of pid: Int32, number: Int32) throws(SystemError) -> Int32? {
    try InfoText("/proc/\(pid)/fdinfo/\(number)").value("Pid:").flatMap { Int32(exactly: $0) }
  }

  /// A fanotify group is asked for permissions: who opens a file waits for its answer. ENOENT: no such
  /// descriptor or process. The corresponding C function is `read` of `/proc/PID/fdinfo/N`.
  package static func grantsPermissions(of pid: Int32, number: Int32) throws(SystemError) -> Bool {
    let text = try InfoText("/proc/\(pid)/fdinfo/\(number)")
    let classes: UInt64 = 0x4 | 0x8  // FAN_CLASS_CONTENT, FAN_CLASS_PRE_CONTENT
    guard let place = text.place(of: "fanotify flags:") else { return false }
    return text.number(at: place, radix: 16).value & classes != 0
  }

  /// An io_uring has files without a descriptor number; true also when the kernel does not tell, because
  /// another thread works in the ring. ENOENT: no such descriptor or process. The corresponding C function is
  /// `read` of `/proc/PID/fdinfo/N`.
  package static func ringHoldsFiles(of pid: Int32, number: Int32) throws(SystemError) -> Bool {
    try InfoText("/proc/\(pid)/fdinfo/\(number)").value("UserFiles:") != 0
  }

  /// A process gets a signal for the next message of a POSIX message queue (mq_notify). A helper thread that
  /// reads a socket for it does not count: that wait is seen. ENOENT: no such descriptor. The corresponding C
  /// function is `read` of the queue, which the kernel answers with its state.
  package static func raisesSignal(queue number: Int32, of pid: Int32) throws(SystemError) -> Bool {
    var text = ShortText()
    try text.read("/proc/\(pid)/fd/\(number)")
    // "QSIZE:129 NOTIFY:0 SIGNO:10 NOTIFY_PID:8260": 0 is SIGEV_SIGNAL.
    let words = text.string.split { $0 == " " || $0 == "\n" }
    return words.contains("NOTIFY:0") && !words.contains("NOTIFY_PID:0")
  }
}
