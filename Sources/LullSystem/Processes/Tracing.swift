internal import CLinux
internal import Glibc

/// Inspects frozen threads with ptrace, in a thread of its own: its end is the only way to let go of a thread
/// that has not stopped, or that was killed while it was traced and stays a zombie until its tracer waits for
/// it. Where all were let go of, the thread stays for the next inspection.
package final class Tracer {
  fileprivate enum State {
    case idle
    case asked([Int32], within: Int64)
    /// `isClean`: no thread is traced any more.
    case answered(Int32?, isClean: Bool)
    case ending
  }

  private let state = Monitor(State.idle)
  private var thread: pthread_t?

  /// No thread runs yet.
  package init() {}

  deinit { end() }

  /// The result is a thread whose call has taken what it waits for, that could not be inspected, or that did
  /// not stop within so many nanoseconds; nil when all wait. The inspection sends this process SIGCHLD, and
  /// `Cgroup.state` can say for a moment that the cgroup is not frozen. EAGAIN: no thread can be started. The
  /// corresponding C function is `ptrace`.
  package func inspect(_ threads: [Int32], within time: Int64) throws(SystemError) -> Int32? {
    guard !threads.isEmpty else { return nil }
    if thread == nil { thread = try SystemThread.startJoinable { [state] in Self.serve(state) } }
    state.change { $0 = .asked(threads, within: time) }
    let (busy, isClean) = state.waitForAnswer()
    if !isClean { end() }
    return busy
  }

  private func end() {
    guard let thread else { return }
    state.change { $0 = .ending }
    SystemThread.waitForEnd(of: thread)
    state.change { $0 = .idle }
    self.thread = nil
  }

  private static func serve(_ state: Monitor<State>) {
    while let (threads, time) = state.waitForQuestion() {
      let (busy, isClean) = Inspection.busy(of: threads, within: time)
      state.change { $0 = .answered(busy, isClean: isClean) }
    }
  }
}

extension Monitor<Tracer.State> {
  /// Nil: the thread is to end.
  fileprivate func waitForQuestion() -> (threads: [Int32], time: Int64)? {
    change(
      when: {
        switch $0 {
        case .asked, .ending: true
        case .idle, .answered: false
        }
      }, by: { _ in nil },
      { if case .asked(let threads, let time) = $0 { (threads, time) } else { nil } }) ?? nil
  }

  fileprivate func waitForAnswer() -> (busy: Int32?, isClean: Bool) {
    let answer = change(
      when: { if case .answered = $0 { true } else { false } }, by: { _ in nil },
      { state -> (Int32?, Bool)? in
        guard case .answered(let busy, let isClean) = state else { return nil }
        state = .idle
        return (busy, isClean)
      })
    return (answer ?? nil) ?? (nil, false)
  }
}

extension Process {
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
  /// time-out. After a refusal the state of the others is not known, and they may still be traced.
  static func busy(of threads: [Int32], within time: Int64) -> (thread: Int32?, isClean: Bool) {
    let deadline = Clock.monotonic() + time
    var traced: [Int32] = []
    for thread in threads {
      if clinux_trace(thread) == 0 { traced.append(thread) } else if errno != ESRCH { return (thread, false) }
    }
    var (busy, isClean): (Int32?, Bool) = (nil, true)
    for thread in traced {
      let outcome = outcome(of: thread, by: deadline)
      if clinux_trace_end(thread) != 0 { isClean = false }
      switch outcome {
      case .waits: break
      case .busy: busy = busy ?? thread
      case .refused: return (thread, false)
      }
    }
    return (busy, isClean)
  }

  private static func outcome(of thread: Int32, by deadline: Int64) -> Outcome {
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
    while true {
      let found = clinux_trace_stopped(thread)
      if found != 0 { return found > 0 }
      if Clock.monotonic() > deadline { return false }
      if turn < 100 { Process.yield() } else { Process.rest(microseconds: 50) }
      turn += 1
    }
  }

  /// A frozen call that was cut off in its wait has one of the kernel's restart codes (ERESTARTSYS to
  /// ERESTARTNOHAND, ERESTART_RESTARTBLOCK) or EINTR for a result, and has taken nothing.
  private static func wasWaiting(_ result: Int64) -> Bool {
    (-514 ... -512).contains(result) || result == -516 || result == -Int64(EINTR)
  }
}
