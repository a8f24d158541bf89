internal import CLinux
internal import Glibc

/// The wait of a system call, as its number alone tells it.
package struct CallWait {
  package enum Kind {
    case none
    /// The epoll descriptor in the first argument.
    case epoll
    /// The pollfd array in the first argument, its length in the second.
    case poll
    /// The sets in the second to fourth argument, their length in the first.
    case select
    /// Something to take from the descriptor in the first argument.
    case reads
    /// Something to take from the descriptor in the first argument, with MSG_ flags.
    case receives
    /// Room in the descriptor in the first argument, or its connection.
    case writes
    /// io_uring_enter, whose flags decide.
    case ring
    /// futex, whose operation decides.
    case futex
    /// futex_waitv: the array in the first argument, its length in the second.
    case futexes
    case child
    /// A signal that has a handler.
    case signal
    /// Takes a signal of the set in the first argument.
    case takesSignal
    case time
    /// Its queues and semaphores.
    case systemV
    case fileLock
    /// fcntl, whose command decides.
    case recordLock
    /// Goes on with a call that was interrupted.
    case restart
  }

  /// The form of the time-out. All but the milliseconds are behind a pointer, where NULL is no limit.
  package enum TimeOut {
    case none
    /// An int; below zero: no limit.
    case milliseconds
    /// An interval in seconds and nanoseconds.
    case timespec
    /// An interval in seconds and microseconds.
    case timeval
    /// clock_nanosleep: an interval or a moment of the clock in the first argument.
    case clock
    /// A moment of the date.
    case realtime
  }

  package let kind: Kind
  package let timeOut: TimeOut
  /// The index of the argument that holds the time-out, or the MSG_ flags.
  package let argument: Int

  private init(_ kind: Kind, _ timeOut: TimeOut = .none, in argument: Int = 0) {
    (self.kind, self.timeOut, self.argument) = (kind, timeOut, argument)
  }

  package init(call number: Int) {
    let number = Int32(truncatingIfNeeded: number)
    self = Self.wait(number) ?? Self.transfer(number) ?? Self.oldWait(number) ?? CallWait(.none)
  }

  private static func wait(_ number: Int32) -> CallWait? {
    switch number {
    case SYS_ppoll: CallWait(.poll, .timespec, in: 2)
    case SYS_pselect6: CallWait(.select, .timespec, in: 4)
    case SYS_epoll_pwait: CallWait(.epoll, .milliseconds, in: 3)
    case SYS_epoll_pwait2: CallWait(.epoll, .timespec, in: 3)
    case SYS_nanosleep: CallWait(.time, .timespec, in: 0)
    case SYS_clock_nanosleep: CallWait(.time, .clock, in: 2)
    case SYS_futex: CallWait(.futex)
    case SYS_futex_waitv: CallWait(.futexes)
    case SYS_io_uring_enter: CallWait(.ring)
    case SYS_rt_sigsuspend: CallWait(.signal)
    case SYS_rt_sigtimedwait: CallWait(.takesSignal, .timespec, in: 2)
    case SYS_wait4, SYS_waitid: CallWait(.child)
    case SYS_semtimedop: CallWait(.systemV, .timespec, in: 3)
    case SYS_semop, SYS_msgrcv, SYS_msgsnd: CallWait(.systemV)
    case SYS_flock: CallWait(.fileLock)
    case SYS_fcntl: CallWait(.recordLock)
    case SYS_restart_syscall: CallWait(.restart)
    default: nil
    }
  }

  private static func transfer(_ number: Int32) -> CallWait? {
    switch number {
    case SYS_read, SYS_readv, SYS_pread64, SYS_preadv, SYS_preadv2, SYS_accept, SYS_accept4:
      CallWait(.reads)
    case SYS_recvfrom, SYS_recvmmsg: CallWait(.receives, in: 3)
    case SYS_recvmsg: CallWait(.receives, in: 2)
    case SYS_mq_timedreceive: CallWait(.reads, .realtime, in: 4)
    case SYS_write, SYS_writev, SYS_pwrite64, SYS_pwritev, SYS_pwritev2, SYS_sendto, SYS_sendmsg,
      SYS_sendmmsg, SYS_sendfile, SYS_connect:
      CallWait(.writes)
    case SYS_mq_timedsend: CallWait(.writes, .realtime, in: 4)
    default: nil
    }
  }

  /// The calls that newer architectures do not have.
  private static func oldWait(_ number: Int32) -> CallWait? {
    #if arch(x86_64)
      switch number {
      case SYS_poll: CallWait(.poll, .milliseconds, in: 2)
      case SYS_select: CallWait(.select, .timeval, in: 4)
      case SYS_epoll_wait: CallWait(.epoll, .milliseconds, in: 3)
      case SYS_pause: CallWait(.signal)
      default: nil
      }
    #else
      nil
    #endif
  }
}

extension CallWait {
  /// The name of a system call that a freeze would cut short, since a freeze is a signal for the kernel: the
  /// call would return with less than it was asked for, or with EINTR. `arguments` begins with the six of the
  /// call.
  package static func cutShort(call number: Int, _ arguments: Span<UInt64>) -> String? {
    let number = Int32(truncatingIfNeeded: number)
    #if arch(x86_64)
      if number == SYS_vfork { return "vfork" }
    #endif
    return switch number {
    // They return EINTR.
    case SYS_semop: "semop"
    case SYS_semtimedop: "semtimedop"
    // A thread that is seen in them waits for the child of vfork(2), deaf to SIGSTOP.
    case SYS_clone, SYS_clone3: "vfork"
    case SYS_recvfrom, SYS_recvmsg, SYS_recvmmsg: partlyReceived(number, arguments)
    default: partlySent(number)
    }
  }

  /// What such a call has moved by then is all that it moves. A call that has moved nothing yet begins again,
  /// but that cannot be told from outside.
  private static func partlySent(_ number: Int32) -> String? {
    switch number {
    case SYS_write, SYS_pwrite64: "write"
    case SYS_writev, SYS_pwritev, SYS_pwritev2: "writev"
    case SYS_sendto: "send"
    case SYS_sendmsg: "sendmsg"
    case SYS_sendmmsg: "sendmmsg"
    case SYS_sendfile: "sendfile"
    case SYS_splice: "splice"
    case SYS_tee: "tee"
    case SYS_vmsplice: "vmsplice"
    case SYS_copy_file_range: "copy_file_range"
    default: nil
    }
  }

  private static func partlyReceived(_ number: Int32, _ arguments: Span<UInt64>) -> String? {
    func has(_ flag: Int, in argument: Int) -> Bool { arguments[argument] & UInt64(flag) != 0 }
    let whole = Int(MSG_WAITALL)
    switch number {
    case SYS_recvfrom: return has(whole, in: 3) ? "recv with MSG_WAITALL" : nil
    case SYS_recvmsg: return has(whole, in: 2) ? "recvmsg with MSG_WAITALL" : nil
    default:
      let few = Int(MSG_WAITFORONE) | Int(MSG_DONTWAIT)
      return arguments[2] < 2 || has(few, in: 3) ? nil : "recvmmsg"
    }
  }
}
