internal import Glibc

/// Gives the memory of frozen processes back to the kernel: pages without a file go to swap, those of files
/// are dropped. Each page goes once; a page that comes back stays, since the program works with it. The
/// worker is not that of the files, which would wait for seconds behind a large program and a slow swap.
package final class Compactor {
  package final class Program {
    private let work: CompactionWork
    private let compactor: Compactor

    fileprivate init(_ work: CompactionWork, _ compactor: Compactor) {
      (self.work, self.compactor) = (work, compactor)
    }

    deinit { work.wish.change { $0 = .forget } }

    /// Begins with these processes, which must be frozen. Exactly one outcome follows. EBUSY: the outcome of
    /// the last time has not been taken; EAGAIN: no thread can be started. The corresponding C function is
    /// `process_madvise(MADV_PAGEOUT)`, or where the rights for that are missing `write` of `memory.reclaim`.
    package func start(_ processes: [Int32]) throws(SystemError) {
      guard !work.isAwaited else { throw SystemError(code: EBUSY, call: "process_madvise") }
      work.wish.change { $0 = .goOn }
      try compactor.worker.perform { [work, done = compactor.done] in
        let outcome = work.compact(processes)
        guard !work.isForgotten else { return }
        done.add((work, outcome))
      }
      work.isAwaited = true
    }

    /// Ends the work before the next step of a quarter of a MiB, and waits for nothing.
    package func stop() { work.wish.change { $0 = .stop } }
  }

  package struct Outcome: Equatable, Sendable {
    package let id: UInt64
    /// Resident memory in bytes.
    package let before: UInt64, after: UInt64
    package let wasStopped: Bool
    /// The kernel allows it for no process of the program.
    package let isRefused: Bool
  }

  private let worker = Worker()
  private let done: Findings<(work: CompactionWork, outcome: Outcome)>

  /// No thread runs yet. EMFILE: no descriptor is left.
  package init() throws(SystemError) { done = try Findings() }

  package var news: Int32 { done.news }

  /// `id` is a number of the caller's, `reclaim` the directory of the program's cgroup.
  package func program(_ id: UInt64, reclaim cgroup: String?) -> Program {
    Program(CompactionWork(id, reclaim: cgroup.map { $0 + "/memory.reclaim" }), self)
  }

  package func takeOutcomes() -> [Outcome] {
    let outcomes = done.take()
    for (work, _) in outcomes { work.isAwaited = false }
    return outcomes.filter { !$0.work.isForgotten }.map(\.outcome)
  }
}

/// The caller alone touches what is marked as its own, and the worker's thread what is marked as the
/// worker's.
private final class CompactionWork: @unchecked Sendable {
  enum Wish { case goOn, stop, forget }

  let wish = Monitor(Wish.goOn)
  // The caller's.
  var isAwaited = false
  // The worker's.
  private let id: UInt64
  private let reclaim: DescriptorBox?
  private var wasReclaimed = false
  private var histories: [PageHistory] = []

  init(_ id: UInt64, reclaim path: String?) {
    self.id = id
    reclaim = path.flatMap { try? DescriptorBox(Files.openRegular($0, O_WRONLY)) }
  }

  var isForgotten: Bool { wish.read { $0 == .forget } }
  private var isOver: Bool { wish.read { $0 != .goOn } }

  func compact(_ processes: [Int32]) -> Compactor.Outcome {
    let before = resident(processes)
    var (wasStopped, isRefused) = (false, false)
    do throws(PageOut.Halt) {
      try pageOut(processes, of: before)
    } catch {
      (wasStopped, isRefused) = (error == .stopped, error == .refused)
    }
    return Compactor.Outcome(
      id: id, before: before, after: resident(processes), wasStopped: wasStopped, isRefused: isRefused)
  }

  private func pageOut(_ processes: [Int32], of bytes: UInt64) throws(PageOut.Halt) {
    histories.removeAll { !$0.process.exists }
    var isRefused = false
    for pid in processes {
      if isOver { throw .stopped }
      do throws(PageOut.Halt) {
        try PageOut.run(pid, &histories) { self.isOver }
      } catch {
        guard error == .refused else { throw error }
        isRefused = true
      }
    }
    if isRefused { try reclaim(bytes) }
  }

  /// memory.reclaim needs no right over the processes, but nobody tells which pages come back: once.
  private func reclaim(_ bytes: UInt64) throws(PageOut.Halt) {
    guard let reclaim, !wasReclaimed else { throw .refused }
    let step = 1 << 18
    for asked in stride(from: 0, to: Int(clamping: bytes), by: step) {
      if isOver { throw .stopped }
      do {
        _ = try Files.writeOnce(Array("\(step)".utf8), to: reclaim.raw, "memory.reclaim")
      } catch {
        // The kernel has found less.
        guard error.isWouldBlock || asked > 0 else { throw .refused }
        break
      }
    }
    wasReclaimed = true
  }

  private func resident(_ processes: [Int32]) -> UInt64 {
    processes.reduce(0) { $0 + ((try? ProcessUsage.residentMemory(of: $1)) ?? 0) }
  }
}
