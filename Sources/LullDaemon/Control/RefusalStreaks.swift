/// The refusals of one kind in a row, by program; a freeze that was taken back is one too. A program that
/// never sleeps is tried again and again: the first refusal is told, then the tenth, the hundredth and so on
/// with the sum, and the rest of the sum when something else happens.
struct RefusalStreaks {
  private struct Streak {
    var last: Journal.Entry
    var count = 1
    var told = 1
    /// The number of refusals at which the sum is told next.
    var next = 10

    /// The entry for the refusals that were not told; nil when all were.
    mutating func takeSum() -> Journal.Entry? {
      guard count > told else { return nil }
      var sum = last
      sum.count = count - told
      told = count
      return sum
    }
  }

  private var streaks: [String: Streak] = [:]

  /// The entries to be written when this one comes.
  mutating func entries(for entry: Journal.Entry) -> [Journal.Entry] {
    guard let program = entry.program else { return [entry] }
    let isRefusal = [Journal.Entry.refusal, Journal.Entry.takenBack].contains(entry.what)
    if isRefusal, var streak = streaks[program], streak.last.isAlike(entry) {
      streak.last = entry
      streak.count += 1
      defer { streaks[program] = streak }
      guard streak.count == streak.next else { return [] }
      streak.next *= 10
      return streak.takeSum().map { [$0] } ?? []
    }
    var ended = streaks.removeValue(forKey: program)
    if isRefusal { streaks[program] = Streak(last: entry) }
    return (ended?.takeSum().map { [$0] } ?? []) + [entry]
  }
}

extension Journal.Entry {
  fileprivate func isAlike(_ other: Self) -> Bool { what == other.what && cause == other.cause }
}
