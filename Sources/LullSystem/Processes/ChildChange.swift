internal import CLinux
internal import Glibc

package enum ChildChange: Equatable, Sendable {
  case ended(ExitStatus)
  case stopped(Int32)
  case continued
}

extension Process {
  /// The next change of a child; nil when there is none. An end is told until `waitStatus` takes it. ECHILD:
  /// not a child, or taken already. The corresponding C function is `waitid(P_PID)`.
  package static func nextChange(of child: Int32) throws(SystemError) -> ChildChange? {
    var change = CLINUX_CHILD_UNCHANGED
    var status: Int32 = 0
    try systemCall("waitid") { unsafe clinux_child_change(child, &change, &status) }
    return switch change {
    case CLINUX_CHILD_EXITED: .ended(.exited(status))
    case CLINUX_CHILD_SIGNALED: .ended(.signaled(status))
    case CLINUX_CHILD_STOPPED: .stopped(status)
    case CLINUX_CHILD_CONTINUED: .continued
    default: nil
    }
  }

  /// Lets a gated child become its program. EPIPE: it has ended (where SIGPIPE is ignored or blocked).
  package static func openGate(_ gate: consuming Descriptor) throws(SystemError) {
    try StandardStreams.write([1], to: gate.raw)
  }

  /// The number of the process behind a descriptor of this process; nil when it has ended and was reaped, or
  /// has no number here. The corresponding C function is `read` of `/proc/self/fdinfo/FD`.
  package static func number(of pidfd: Int32) throws(SystemError) -> Int32? {
    let text = try InfoText("/proc/self/fdinfo/\(pidfd)")
    guard let place = text.place(of: "Pid:"), !text.bytes[place...].prefix(3).contains(UInt8(ascii: "-"))
    else { return nil }
    return Int32(exactly: text.number(at: place).value).flatMap { $0 > 0 ? $0 : nil }
  }

  /// The exit status of a process that need not be a child, by a descriptor from before its end; nil while
  /// the process runs or its parent has not taken the status. ENOTTY or EINVAL: before Linux 6.15 only a
  /// parent learns the status.
  package static func exitStatus(_ pidfd: Int32) throws(SystemError) -> ExitStatus? {
    var status: Int32 = 0
    let ended = try systemCall("ioctl(PIDFD_GET_INFO)") { unsafe clinux_pidfd_exit(pidfd, &status) }
    guard ended == 1 else { return nil }
    return ExitStatus(waited: status)
  }

  /// The exit status of a process that has ended and whose parent has not taken the status; nil for any other
  /// process, and for one of another user. The corresponding C function is `read` of `/proc/PID/stat`.
  package static func zombieStatus(of pid: Int32) throws(SystemError) -> ExitStatus? {
    let line = try StatLine(of: "\(pid)")
    let owner = try owner(of: pid)
    guard line.hasEnded, Identity.uid() == 0 || owner == Identity.uid(),
      let status = line.number(52).flatMap({ Int32(exactly: $0) })
    else { return nil }
    return ExitStatus(waited: status)
  }

  /// The child has ended and had not become its program. False once its parent has taken the status. The
  /// corresponding C function is `read` of `/proc/PID/stat`.
  package static func hasNotExecuted(_ pid: Int32) throws(SystemError) -> Bool {
    let line = try StatLine(of: "\(pid)")
    // PF_FORKNOEXEC (linux/sched.h).
    return line.hasEnded && line.hasFlag(0x40)
  }

  /// The process is a thread of the kernel. ENOENT: no process has the number. The corresponding C function
  /// is `read` of `/proc/PID/stat`.
  package static func isKernelThread(_ pid: Int32) throws(SystemError) -> Bool {
    // PF_KTHREAD (linux/sched.h).
    try StatLine(of: "\(pid)").hasFlag(0x20_0000)
  }

  private static func owner(of pid: Int32) throws(SystemError) -> UInt32? {
    try InfoText("/proc/\(pid)/status").value("Uid:").map { UInt32(truncatingIfNeeded: $0) }
  }
}

extension Signal {
  /// Ends this process by a signal, as it ended the child, and without a core file. Returns when the signal
  /// does not end a process.
  package static func end(by signal: Int32) throws(SystemError) {
    try systemCall("raise") { clinux_act(signal, 1) }
  }

  /// Stops this process by a signal, until SIGCONT comes. Returns at once when nobody would continue it, in
  /// an orphaned process group, unless the signal is SIGSTOP. A SIGCONT that is blocked is over then; true
  /// when it came. The corresponding C functions are `raise` and `sigtimedwait`.
  @discardableResult
  package static func stop(by signal: Int32) throws(SystemError) -> Bool {
    try systemCall("raise") { clinux_act(signal, 0) } == 1
  }
}
