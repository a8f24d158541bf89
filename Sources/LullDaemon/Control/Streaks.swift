/// Entries of one kind in a row, by program or of none, which would push all others out of the journal. A
/// program that never sleeps is tried again and again, and a program may show thousands of notifications, for
/// each of which the hook may fail. The first ones are told one by one, then the sum at ten times as many, at
/// a hundred times and so on, and the rest of the sum when something else happens.
struct Streaks {
  private struct Streak {
    var last: Journal.Entry
    let singly: Int
    var count = 1
    var told = 1
    var next: Int

    init(_ first: Journal.Entry, singly: Int) { (last, self.singly, next) = (first, singly, 10 * singly) }

    mutating func take(_ entry: Journal.Entry) -> Journal.Entry? {
      last = entry
      count += 1
      guard count > singly else {
        told = count
        return entry
      }
      guard count == next else { return nil }
      next *= 10
      return takeSum(at: entry.at)
    }

    /// Others have noted something since the last entry, so the sum has the moment at which it is told.
    mutating func takeSum(at moment: Int64) -> Journal.Entry? {
      guard count > told else { return nil }
      var sum = last
      sum.at = moment
      sum.count = count - told
      told = count
      return sum
    }
  }

  private var streaks: [String?: Streak] = [:]

  mutating func entries(for entry: Journal.Entry) -> [Journal.Entry] {
    let program = entry.program
    if var streak = streaks[program], streak.last.isAlike(entry) {
      defer { streaks[program] = streak }
      return [streak.take(entry)].compactMap(\.self)
    }
    var ended = streaks.removeValue(forKey: program)
    streaks[program] = entry.singly.map { Streak(entry, singly: $0) }
    return [ended?.takeSum(at: entry.at), entry].compactMap(\.self)
  }
}

extension Journal.Entry {
  fileprivate func isAlike(_ other: Self) -> Bool { what == other.what && cause == other.cause }

  /// The number of entries of its kind in a row that are told one by one; nil: all.
  fileprivate var singly: Int? {
    switch what {
    case Self.refusal, Self.takenBack: 1
    case Self.notified, Self.scheduled, Self.notTold: 10
    default: nil
    }
  }
}
