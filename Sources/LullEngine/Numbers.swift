/// Gives numbers out in order. After the last number it begins anew and leaves out the numbers in use.
struct Numbers: Sendable {
  private var last: UInt32
  /// The numbers after `last`, up to and with this one, are free.
  private var freeThrough = UInt32.max

  init(after last: UInt32 = 0) { self.last = last }

  mutating func skip(through number: UInt32) { last = max(last, number) }

  /// Returns nil when the numbers in use must be known first.
  mutating func next() -> UInt32? {
    guard last < freeThrough else { return nil }
    last += 1
    return last
  }

  mutating func next(besides used: [UInt32]) -> UInt32 {
    let used = used.sorted()
    last = Self.firstFree(from: last == .max ? 1 : last + 1, used) ?? Self.firstFree(from: 1, used) ?? 1
    freeThrough = used.first { $0 > last }.map { $0 - 1 } ?? .max
    return last
  }

  private static func firstFree(from first: UInt32, _ used: [UInt32]) -> UInt32? {
    var candidate = first
    for number in used where number == candidate {
      guard candidate < .max else { return nil }
      candidate += 1
    }
    return candidate
  }
}
