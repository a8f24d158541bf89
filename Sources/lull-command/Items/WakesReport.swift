import LullWire

/// The report of `lull wakes`. The keys of its JSON are a promise: new keys may be added, these stay.
struct WakesReport: Encodable, Equatable {
  /// The wakes of one reason by one sender or line.
  struct Sum: Encodable, Equatable {
    let reason: String
    /// The sender, or the line in words; nil for reasons without one.
    @OrNull var by: String?
    var count: Int64 = 0
    /// Seconds since 1970.
    var last = 0.0
    /// The longest time that bytes waited for the thaw.
    @OrNull var longestWaitMicroseconds: Int64?
  }

  let name: String
  let count: Int64
  /// The time of the oldest entry of the program, in seconds since 1970; nil when there is none.
  @OrNull var since: Double?
  /// The most frequent first.
  let wakes: [Sum]

  /// The entries are those of one program, oldest first.
  init(name: String, _ entries: [EntryItem]) {
    var sums: [Sum] = []
    for entry in entries where entry.what == "woke" {
      let reason = entry.cause ?? ""
      let by = entry.peer ?? entry.detail
      let index = sums.firstIndex { $0.reason == reason && $0.by == by } ?? sums.count
      if index == sums.count { sums.append(Sum(reason: reason, by: by)) }
      sums[index].count += entry.count
      sums[index].last = entry.at
      if let waited = entry.waitedMicroseconds {
        sums[index].longestWaitMicroseconds = max(waited, sums[index].longestWaitMicroseconds ?? 0)
      }
    }
    self.name = name
    count = sums.reduce(0) { $0 + $1.count }
    since = entries.first?.at
    wakes = sums.sorted { ($0.count, $0.last) > ($1.count, $1.last) }
  }
}
