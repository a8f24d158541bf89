internal import CLinux
internal import Glibc

/// What the registers alone tell of a call.
extension ThreadCall {
  /// What the call waits for.
  var wait: clinux_wait { clinux_wait_of(number) }

  /// The time-out that the table of calls names; see `timeOut`.
  func ownTimeOut(of thread: Int32) throws(SystemError) -> Int64? {
    let wait = wait
    return try timeOut(of: thread, wait.time_out, Int(wait.argument))
  }

  /// The wait of a call that is told by its registers.
  var plainWait: ThreadWait {
    switch wait.kind {
    case CLINUX_WAIT_EPOLL: .epoll(integer(0))
    case CLINUX_WAIT_READS: .descriptors([WaitedDescriptor(number: integer(0), interest: .readable)])
    case CLINUX_WAIT_RECEIVES: .descriptors([WaitedDescriptor(number: integer(0), interest: receiving)])
    case CLINUX_WAIT_WRITES: .descriptors([WaitedDescriptor(number: integer(0), interest: .writable)])
    case CLINUX_WAIT_CHILD: .child
    case CLINUX_WAIT_SIGNAL, CLINUX_WAIT_TAKES_SIGNAL: .signal
    case CLINUX_WAIT_SYSTEM_V: .unwatchable(.systemV)
    case CLINUX_WAIT_FILE_LOCK: .unwatchable(.fileLock)
    case CLINUX_WAIT_RECORD_LOCK where integer(1) == F_SETLKW || integer(1) == Self.waitForOpenFileLock:
      .unwatchable(.fileLock)
    default: .works
    }
  }

  private static let waitForOpenFileLock: Int32 = 38

  /// Whether the call takes what it waits for.
  var takes: Bool {
    switch wait.kind {
    case CLINUX_WAIT_READS, CLINUX_WAIT_RECEIVES, CLINUX_WAIT_WRITES, CLINUX_WAIT_CHILD,
      CLINUX_WAIT_TAKES_SIGNAL:
      true
    default: false
    }
  }

  /// What a call waits for that receives: a byte out of band shows otherwise than the others.
  private var receiving: Interest {
    integer(Int(wait.argument)) & Int32(MSG_OOB) == 0 ? .readable : .priority
  }
}
