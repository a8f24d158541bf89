internal import Glibc

/// What is remembered of the threads of one process between two readings: a call that was interrupted by a
/// freeze does not show its own number any more when it goes on after the thaw.
public struct WaitMemory: Sendable {
  /// A wait that can be met again.
  struct Entry: Sendable {
    let thread: Int32
    let call: ThreadCall
    /// The moment of CLOCK_MONOTONIC at which it ends, at the latest.
    let end: Int64?
    /// The whole time-out, where it could be told.
    var period: Int64?
    /// Whether a futex lies in memory that other processes can share; nil where that has not been asked.
    var isShared: Bool?
  }

  // Both are in the order in which the kernel lists the threads, so what is looked for comes next, as a rule.
  private var known: [Entry] = []
  private var seen: [Entry] = []
  private var next = 0

  /// Nothing is known yet.
  public init() {}

  /// Begins a reading of all threads.
  mutating func begin() {
    seen.removeAll(keepingCapacity: true)
    next = 0
  }

  /// What the last reading knew of a thread.
  mutating func recall(_ thread: Int32) -> Entry? {
    for index in known.indices.suffix(from: next) where known[index].thread == thread {
      next = index + 1
      return known[index]
    }
    for index in known.indices.prefix(next) where known[index].thread == thread { return known[index] }
    return nil
  }

  mutating func remember(_ entry: Entry) { seen.append(entry) }

  /// Ends a reading: what has not been seen is forgotten.
  mutating func finish() { swap(&known, &seen) }
}
