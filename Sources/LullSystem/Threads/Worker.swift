/// Does what may wait, for a disk or for another process, so that the caller never does. Work is begun in the
/// order in which it is handed over. One thread begins with the first work and stays: its start costs more
/// than most of the work. More, up to the width, live only while all before them are busy.
package final class Worker: Sendable {
  package typealias Work = @Sendable () -> Void

  private struct Queue {
    var waiting: [(due: Int64, work: Work)] = []
    var threads = 0
    var busy = 0
    var isEnding = false
    /// A caller waits until everything is done: no work is held back.
    var isHurried = false

    var isDone: Bool { waiting.isEmpty && busy == 0 }

    /// One thread stays until the end.
    var hasThreadToSpare: Bool { waiting.isEmpty && (isEnding || threads - busy > 1) }

    var next: Int? {
      let now = isHurried || isEnding ? Int64.max : Clock.monotonic()
      return waiting.firstIndex { $0.due <= now }
    }

    /// Nil: the thread ends.
    mutating func take() -> Work? {
      guard let next else {
        threads -= 1
        return nil
      }
      busy += 1
      return waiting.remove(at: next).work
    }
  }

  private let width: Int
  private let queue = Monitor(Queue())

  /// `width` is the number of things that are done at a time; with one, the work is done in order. No thread
  /// runs yet.
  package init(width: Int = 1) { self.width = width }

  /// Work that was handed over is still done.
  deinit { queue.change { $0.isEnding = true } }

  /// Work is held back for `delay` nanoseconds. EAGAIN: no thread can be started, and the work is not done.
  /// The corresponding C function is `pthread_create`.
  package func perform(after delay: Int64 = 0, _ work: @escaping Work) throws(SystemError) {
    let due = Clock.monotonic() + delay
    let needsThread = queue.change { queue in
      queue.waiting.append((due, work))
      guard queue.threads < width, queue.waiting.count > queue.threads - queue.busy else {
        return false
      }
      queue.threads += 1
      return true
    }
    guard needsThread else { return }
    do {
      try SystemThread.start(stack: SystemThread.smallStack) { [queue] in Self.serve(queue) }
    } catch {
      // Where another thread runs, it does the work.
      let isUndone = queue.change { queue in
        queue.threads -= 1
        return queue.threads == 0 && queue.waiting.popLast() != nil
      }
      if isUndone { throw error }
    }
  }

  /// Waits until everything is done; false when it takes longer. The corresponding C function is
  /// `pthread_cond_timedwait`.
  @discardableResult
  package func finish(milliseconds: Int32) -> Bool {
    let deadline = Clock.monotonic() + Int64(milliseconds) * 1_000_000
    queue.change { $0.isHurried = true }
    defer { queue.change { $0.isHurried = false } }
    return queue.change(when: \.isDone, by: { _ in deadline }, { _ in true }) ?? false
  }

  private static func serve(_ queue: Monitor<Queue>) {
    var isOver = false
    while !isOver {
      var work: Work?
      queue.change(
        when: { $0.next != nil || $0.hasThreadToSpare }, by: { $0.waiting.map(\.due).min() },
        {
          work = $0.take()
          isOver = work == nil
        })
      guard work != nil else { continue }
      work?()
      // The thread that waits for the end is to be the only owner of what the work had.
      work = nil
      queue.change { $0.busy -= 1 }
    }
  }
}
