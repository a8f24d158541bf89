/// The memory of the threads' waits between two readings of one process: a call that was interrupted by a
/// freeze does not show its own number any more when it goes on after the thaw.
package struct WaitMemory: Sendable {
  struct Entry: Sendable {
    let thread: Int32
    let call: ThreadCall
    /// The latest end of the wait, a moment of CLOCK_MONOTONIC.
    let end: Int64?
    /// The whole time-out, where it could be told.
    var period: Int64?
    /// The futex lies in memory that other processes can share; nil: that has not been asked.
    var isShared: Bool?
  }

  // Both arrays are in the order in which the kernel lists the threads, so the entry that is looked for comes
  // next, as a rule.
  private var known: [Entry] = []
  private var seen: [Entry] = []
  private var next = 0

  package init() {}

  mutating func begin() {
    seen.removeAll(keepingCapacity: true)
    next = 0
  }

  mutating func recall(_ thread: Int32) -> Entry? {
    for index in known.indices.suffix(from: next) where known[index].thread == thread {
      next = index + 1
      return known[index]
    }
    for index in known.indices.prefix(next) where known[index].thread == thread { return known[index] }
    return nil
  }

  mutating func remember(_ entry: Entry) { seen.append(entry) }

  /// Entries that this reading has not seen are forgotten.
  mutating func finish() { swap(&known, &seen) }
}
