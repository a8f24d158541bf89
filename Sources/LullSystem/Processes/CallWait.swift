internal import CLinux

/// The wait of a system call, as its number alone tells it.
package struct CallWait {
  package enum Kind {
    /// A call that does not wait.
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
    /// Takes the status of a child.
    case child
    /// A signal that has a handler.
    case signal
    /// Takes a signal of the set in the first argument.
    case takesSignal
    /// Nothing but time.
    case time
    /// A queue or semaphore of System V.
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

  package init(call number: Int) {
    let wait = clinux_wait_of(number)
    kind = Kind(wait.kind)
    timeOut = TimeOut(wait.time_out)
    argument = Int(wait.argument)
  }

  /// The name of a system call that a freeze would cut short, since a freeze is a signal for the kernel: the
  /// call would return with less than it was asked for, or with EINTR. `arguments` begins with the six of the
  /// call.
  package static func cutShort(call number: Int, _ arguments: Span<UInt64>) -> String? {
    precondition(arguments.count >= 6)
    return unsafe arguments.withUnsafeBufferPointer { arguments in
      guard let start = arguments.baseAddress, let name = unsafe clinux_cut_short(number, start)
      else { return nil }
      return unsafe String(cString: name)
    }
  }
}

extension CallWait.Kind {
  fileprivate init(_ kind: clinux_wait_kind) {
    self =
      switch kind {
      case CLINUX_WAIT_EPOLL: .epoll
      case CLINUX_WAIT_POLL: .poll
      case CLINUX_WAIT_SELECT: .select
      case CLINUX_WAIT_READS: .reads
      case CLINUX_WAIT_RECEIVES: .receives
      case CLINUX_WAIT_WRITES: .writes
      case CLINUX_WAIT_RING: .ring
      case CLINUX_WAIT_FUTEX: .futex
      case CLINUX_WAIT_FUTEXES: .futexes
      case CLINUX_WAIT_CHILD: .child
      case CLINUX_WAIT_SIGNAL: .signal
      case CLINUX_WAIT_TAKES_SIGNAL: .takesSignal
      case CLINUX_WAIT_TIME: .time
      case CLINUX_WAIT_SYSTEM_V: .systemV
      case CLINUX_WAIT_FILE_LOCK: .fileLock
      case CLINUX_WAIT_RECORD_LOCK: .recordLock
      case CLINUX_WAIT_RESTART: .restart
      default: .none
      }
  }
}

extension CallWait.TimeOut {
  fileprivate init(_ form: clinux_time_out) {
    self =
      switch form {
      case CLINUX_TIME_OUT_MILLISECONDS: .milliseconds
      case CLINUX_TIME_OUT_TIMESPEC: .timespec
      case CLINUX_TIME_OUT_TIMEVAL: .timeval
      case CLINUX_TIME_OUT_CLOCK: .clock
      case CLINUX_TIME_OUT_REALTIME: .realtime
      default: .none
      }
  }
}
