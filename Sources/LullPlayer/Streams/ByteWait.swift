/// The wait for bytes of a stream. All times are in nanoseconds of CLOCK_BOOTTIME.
struct ByteWait {
  let patience: Int64
  /// The moment since which bytes have been waited for in vain; nil while they are not waited for.
  private var since: Int64?
  private var alarm: Int64?

  init(patience: Int64) { self.patience = patience }

  /// Begins to wait, or goes on; `moment` is when the waiter wants to be called all the same.
  mutating func begin(at now: Int64, until moment: Int64?) { (since, alarm) = (since ?? now, moment) }

  mutating func restart(at now: Int64) { since = now }

  mutating func noteBytes(at now: Int64) { if since != nil { since = now } }

  mutating func end() { (since, alarm) = (nil, nil) }

  func isInVain(at now: Int64) -> Bool { since.map { now - $0 > patience } ?? false }

  var deadline: Int64? { [alarm, since.map { $0 + patience + 1 }].compactMap(\.self).min() }
}
