/// The order in which programs are purged: the first one that has a candidate is used up before the next.
/// Programs that are heard, record or are in a call come after the silent ones of their class.
enum PurgeRank: Int, Comparable {
  case sleeper, heardSleeper, background, heardBackground, foreground, heardForeground

  static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}
