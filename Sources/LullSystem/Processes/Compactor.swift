internal import CLinux
internal import Glibc

/// Gives the memory of frozen processes back to the kernel, in a thread of its own that lives only while
/// there is something to do: pages without a file go to swap, those of files are dropped. Each page goes
/// once; what came back afterwards stays, since the program works with it.
@safe package final class Compactor {
  @safe package final class Program {
    private let program: OpaquePointer

    fileprivate init(_ program: OpaquePointer) { unsafe self.program = unsafe program }

    deinit { unsafe clinux_compaction_drop(program) }

    /// Begins with these processes, which must be frozen. Exactly one outcome follows. EBUSY: the outcome of
    /// the last time has not been taken; EAGAIN: no thread can be started. The corresponding C function is
    /// `process_madvise(MADV_PAGEOUT)`, or where the rights for that are missing `write` of `memory.reclaim`.
    package func start(_ processes: [Int32]) throws(SystemError) {
      let code = unsafe clinux_compaction_start(program, processes, processes.count)
      guard code == 0 else { throw SystemError("process_madvise") }
    }

    /// Ends it before the next step of a quarter of a MiB, and waits for nothing.
    package func stop() { unsafe clinux_compaction_stop(program) }
  }

  package struct Outcome: Equatable, Sendable {
    package let id: UInt64
    /// The resident memory of its processes before and after, in bytes.
    package let before: UInt64, after: UInt64
    package let wasStopped: Bool
    /// True when the kernel allows it for no process of the program.
    package let isRefused: Bool
  }

  private let threads: OpaquePointer
  private let counter: EventDescriptor

  /// A compactor; no thread runs yet. ENOMEM: there is no memory; EMFILE: no descriptor is left.
  package init() throws(SystemError) {
    counter = try EventDescriptor()
    guard let made = unsafe clinux_compactor_make(counter.raw) else {
      throw SystemError(code: ENOMEM, call: "process_madvise")
    }
    unsafe threads = made
  }

  /// A descriptor that is readable when there is an outcome.
  package var news: Int32 { counter.raw }

  /// A program under a number of the caller's. `reclaim` is the directory of its cgroup. ENOMEM: there is no
  /// memory.
  package func program(_ id: UInt64, reclaim cgroup: String?) throws(SystemError) -> Program {
    let path = cgroup.map { $0 + "/memory.reclaim" }
    let file = path.map { path in unsafe open(path, O_WRONLY | O_CLOEXEC) } ?? -1
    guard let made = unsafe clinux_compaction_make(threads, id, file) else {
      if file != -1 { closeDescriptor(file) }
      throw SystemError(code: ENOMEM, call: "process_madvise")
    }
    return unsafe Program(made)
  }

  package func takeOutcomes() -> [Outcome] {
    _ = try? counter.drain()
    var outcomes: [Outcome] = []
    var result = clinux_compaction_result()
    while unsafe clinux_compactor_result(threads, &result) == 1 {
      outcomes.append(
        Outcome(
          id: result.id, before: result.before, after: result.after, wasStopped: result.was_stopped == 1,
          isRefused: result.is_refused == 1))
    }
    return outcomes
  }
}
