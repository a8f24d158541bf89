internal import CLinux
internal import Glibc

extension Process {
  /// The exit status of a process that need not be a child, by a descriptor from before its end; nil while
  /// the process runs or its parent has not taken the status. ENOTTY or EINVAL: before Linux 6.15 only a
  /// parent learns the status. The corresponding C function is `ioctl(PIDFD_GET_INFO)`.
  package static func exitStatus(_ pidfd: Int32) throws(SystemError) -> ExitStatus? {
    var status: Int32 = 0
    let ended = try systemCall("ioctl(PIDFD_GET_INFO)") { unsafe clinux_pidfd_exit(pidfd, &status) }
    guard ended == 1 else { return nil }
    return status & 0x7f == 0 ? .exited(status >> 8 & 0xff) : .signaled(status & 0x7f)
  }

  /// Sends a signal to each process of a group, by its pidfd: every process that gets the signal is in the
  /// group, even when the group has ended and its number was given again before. The corresponding C
  /// functions are `pidfd_open`, `read` of `/proc/PID/stat` and `pidfd_send_signal`.
  package static func signal(group: Int32, _ signal: Int32) throws(SystemError) {
    for pid in try members(ofGroup: group) {
      guard let pidfd = try? pidfdOpen(pid), (try? processGroup(of: pid)) == group else { continue }
      try? sendSignal(pidfd.raw, signal)
    }
  }
}
