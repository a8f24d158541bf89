internal import CLinux
internal import Glibc

/// Other processes, by process descriptor (pidfd) where the kernel has one, because a number can be given
/// again.
package enum Process {
  /// The descriptor is readable when the process has ended. ESRCH: no process has the number.
  package static func pidfdOpen(_ pid: Int32) throws(SystemError) -> Descriptor {
    try Descriptor(owning: systemCall("pidfd_open") { clinux_pidfd_open(pid) })
  }

  /// ESRCH: the process has ended.
  package static func sendSignal(_ pidfd: Int32, _ signal: Int32) throws(SystemError) {
    try systemCall("pidfd_send_signal") { clinux_pidfd_send_signal(pidfd, signal) }
  }

  /// True also when the process is not reaped yet, and where nobody can tell. The corresponding C function is
  /// `poll`.
  package static func hasEnded(_ pidfd: Int32) -> Bool {
    (try? Socket.poll(pidfd, .readable, timeoutMilliseconds: 0))?.isEmpty != true
  }

  /// The process of a descriptor still has its number: what was read by that number before this call was
  /// about this process. False when the process has ended and its status was taken (ESRCH), and for a process
  /// of another pid namespace, which has no number here (EINVAL). The corresponding C function is
  /// `pidfd_send_signal(0)`.
  package static func isNumbered(_ pidfd: Int32) -> Bool {
    do {
      try sendSignal(pidfd, 0)
      return true
    } catch {
      return error.isNotPermitted
    }
  }

  /// A duplicate of another process's descriptor, closed on exec; works on a frozen process. EBADF: the
  /// number is not open there; EPERM: no ptrace right over that process; ESRCH: it has ended.
  package static func getDescriptor(_ pidfd: Int32, number: Int32) throws(SystemError) -> Descriptor {
    try Descriptor(owning: systemCall("pidfd_getfd", on: .foreign) { clinux_pidfd_getfd(pidfd, number) })
  }

  /// Takes the exit status of a child, once; nil while it runs. ECHILD: not a child, or taken already.
  /// The corresponding C function is `waitid(P_PIDFD)`.
  package static func waitStatus(_ pidfd: Int32) throws(SystemError) -> ExitStatus? {
    var (code, status): (Int32, Int32) = (0, 0)
    let ended = try systemCall("waitid") { unsafe clinux_pidfd_wait(pidfd, &code, &status) }
    guard ended == 1 else { return nil }
    return code == Int32(CLD_EXITED) ? .exited(status) : .signaled(status)
  }

  /// True once for each time that a signal has stopped a child. ECHILD: not a child.
  /// The corresponding C function is `waitid(P_PIDFD, WSTOPPED)`.
  package static func hasStopped(_ pidfd: Int32) throws(SystemError) -> Bool {
    try systemCall("waitid") { clinux_pidfd_stopped(pidfd) } == 1
  }

  /// Takes the exit status of any child that has ended; nil when there is no such child. `waitStatus` does
  /// not find a status that was taken here.
  package static func reapAny() throws(SystemError) -> (pid: Int32, status: ExitStatus)? {
    var status: Int32 = 0
    do {
      let pid = try systemCall("waitpid") { unsafe waitpid(-1, &status, WNOHANG) }
      guard pid > 0 else { return nil }
      return (pid, ExitStatus(waited: status))
    } catch {
      guard error.isNoChild else { throw error }
      return nil
    }
  }

  package static func kill(_ pid: Int32, _ signal: Int32) throws(SystemError) {
    precondition(pid > 0, "not one process")
    try systemCall("kill") { Glibc.kill(pid, signal) }
  }

  package static func kill(group: Int32, _ signal: Int32) throws(SystemError) {
    precondition(group > 1, "not a group")
    try systemCall("killpg") { killpg(group, signal) }
  }

  /// Names the calling thread, at most 15 bytes of the name; that of the first one is the process's name in
  /// ps(1). The corresponding C function is `prctl(PR_SET_NAME)`.
  package static func setName(_ name: String) {
    // It cannot fail for a pointer that is valid.
    unsafe name.withCString { _ = unsafe clinux_set_name($0) }
  }

  /// Makes this process the parent of every descendant whose own parent ends.
  package static func becomeSubreaper() throws(SystemError) {
    try systemCall("prctl(PR_SET_CHILD_SUBREAPER)") { clinux_set_child_subreaper() }
  }

  /// Has the kernel send this process a signal when its parent dies, also while this process is stopped. One
  /// that the parent has chosen stays, such as the SIGKILL of `unshare --kill-child`.
  package static func expectParentDeath(_ signal: Int32) throws(SystemError) {
    try systemCall("prctl(PR_SET_PDEATHSIG)") { clinux_set_parent_death_signal(signal) }
  }

  package static func yield() { _ = sched_yield() }

  package static func rest(microseconds: UInt32) { _ = usleep(microseconds) }

  /// Becomes another program, which is looked up in PATH: returns only where that fails. The corresponding C
  /// function is `execvp`.
  package static func become(_ words: [String]) throws(SystemError) -> Never {
    let arguments = CStringList(words.map { Array($0.utf8) })
    _ = unsafe arguments.withPointers { strings in
      guard let strings = unsafe strings, let name = unsafe strings.pointee else { return -1 }
      return unsafe execvp(name, strings)
    }
    throw SystemError("execvp")
  }

  package static func exit(_ status: Int32) -> Never {
    Glibc.exit(status)
  }
}
