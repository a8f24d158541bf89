internal import CLinux
internal import Glibc

extension Process {
  /// The exit status of a process that need not be a child, by a descriptor from before its end; nil while
  /// the process runs or its parent has not taken the status. ENOTTY or EINVAL: before Linux 6.15 only a
  /// parent learns the status.
  package static func exitStatus(_ pidfd: Int32) throws(SystemError) -> ExitStatus? {
    var status: Int32 = 0
    let ended = try systemCall("ioctl(PIDFD_GET_INFO)") { unsafe clinux_pidfd_exit(pidfd, &status) }
    guard ended == 1 else { return nil }
    return status & 0x7f == 0 ? .exited(status >> 8 & 0xff) : .signaled(status & 0x7f)
  }
}
