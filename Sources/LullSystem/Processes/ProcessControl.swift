internal import CLinux
internal import Glibc

extension Process {
  package static func yield() { _ = sched_yield() }

  package static func rest(microseconds: UInt32) { _ = usleep(microseconds) }

  /// The state is `T` of proc(5). The corresponding C function is `read` of `/proc/PID/stat`.
  package static func isStopped(_ pid: Int32) throws(SystemError) -> Bool {
    try StatLine(of: "\(pid)").isStopped
  }

  /// The process runs no code of its own any more, while its descriptors are closed and its memory goes
  /// (PF_EXITING), or it has ended. The corresponding C function is `read` of `/proc/PID/stat`.
  package static func isEnding(_ pid: Int32) throws(SystemError) -> Bool {
    let line = try StatLine(of: "\(pid)")
    return line.hasEnded || (line.number(9) ?? 0) & 4 != 0
  }
}

extension Process {
  /// True once for each time that a signal has stopped a child. ECHILD: not a child.
  /// The corresponding C function is `waitid(P_PIDFD, WSTOPPED)`.
  package static func hasStopped(_ pidfd: Int32) throws(SystemError) -> Bool {
    try systemCall("waitid") { clinux_pidfd_stopped(pidfd) } == 1
  }
}

extension Spawned {
  package consuming func boxes() -> (pidfd: DescriptorBox, execStatus: DescriptorBox) {
    (DescriptorBox(pidfd), DescriptorBox(execStatus))
  }
}
