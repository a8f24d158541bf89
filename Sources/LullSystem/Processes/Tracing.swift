internal import CLinux
internal import Glibc

extension Process {
  /// The longest time, in nanoseconds, that the threads of one `inspect` may take to stop, or a thread to be
  /// frozen again after that. On an idle machine this takes microseconds, on a loaded one until they get a
  /// processor.
  package static let inspectionNanoseconds: Int64 = 10_000_000

  /// Inspects frozen threads whose call takes what it waits for. The result is a thread that has taken
  /// something, or that could not be inspected; nil when all wait. The inspection sends this process SIGCHLD,
  /// and `Cgroup.state` can say for a moment that the cgroup is not frozen. The corresponding C function is
  /// `ptrace`.
  package static func inspect(_ threads: [Int32]) throws(SystemError) -> Int32? {
    guard !threads.isEmpty else { return nil }
    let found = Monitor<Int32?>(nil)
    // A thread that has not stopped cannot be detached, and a thread that is killed while it is traced stays
    // a zombie until its tracer waits for it. The end of the tracing thread solves both.
    try SystemThread.run {
      let busy = Inspection.busy(of: threads)
      found.change { $0 = busy }
    }
    return found.read { $0 }
  }

  /// True when a descriptor of this process and one of another stand for the same open file; false where the
  /// kernel does not tell. The corresponding C function is `kcmp(KCMP_FILE)`.
  package static func isSame(_ own: Int32, as number: Int32, of pid: Int32) -> Bool {
    clinux_same_file(getpid(), own, pid, number) == 0
  }

  /// True unless a thread has a table of descriptors of its own (`unshare(CLONE_FILES)`), as far as the
  /// kernel tells. The corresponding C function is `kcmp(KCMP_FILES)`.
  package static func sharesDescriptors(_ thread: Int32, with pid: Int32) -> Bool {
    clinux_same_files(pid, thread) <= 0
  }
}

private enum Inspection {
  private enum Outcome {
    case waits, busy
    /// The thread is traced by somebody else, did not stop, or the processor's registers are not known.
    case refused
  }

  /// All threads are told to stop before the first is waited for, so that they stop side by side, within one
  /// time-out. After a refusal the state of the others is not known.
  static func busy(of threads: [Int32]) -> Int32? {
    let deadline = Clock.monotonic() + Process.inspectionNanoseconds
    var traced: [Int32] = []
    for thread in threads {
      if clinux_trace(thread) == 0 { traced.append(thread) } else if errno != ESRCH { return thread }
    }
    var busy: Int32?
    for thread in traced {
      switch outcome(of: thread, by: deadline) {
      case .waits: break
      case .busy: busy = busy ?? thread
      case .refused: return thread
      }
    }
    return busy
  }

  private static func outcome(of thread: Int32, by deadline: Int64) -> Outcome {
    defer { clinux_trace_end(thread) }
    var result: Int64 = 0
    guard awaitStop(of: thread, by: deadline), unsafe clinux_trace_result(thread, &result) == 0 else {
      return .refused
    }
    return wasWaiting(result) ? .waits : .busy
  }

  /// A thread stops as soon as it gets a processor: at once on an idle machine, so the first turns do not
  /// sleep.
  private static func awaitStop(of thread: Int32, by deadline: Int64) -> Bool {
    var turn = 0
    while clinux_trace_stopped(thread) == 0 {
      if Clock.monotonic() > deadline { return false }
      if turn < 100 { Process.yield() } else { Process.rest(microseconds: 50) }
      turn += 1
    }
    return true
  }

  /// A frozen call that was cut off in its wait has one of the kernel's restart codes (ERESTARTSYS to
  /// ERESTARTNOHAND, ERESTART_RESTARTBLOCK) or EINTR for a result, and has taken nothing.
  private static func wasWaiting(_ result: Int64) -> Bool {
    (-514 ... -512).contains(result) || result == -516 || result == -Int64(EINTR)
  }
}
