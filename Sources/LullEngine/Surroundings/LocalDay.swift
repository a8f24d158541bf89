/// The day that the clocks of the machine show, and the offset by which they show it. It ends at midnight, or
/// where summer time begins or ends (`UIApplicationSignificantTimeChangeNotification`).
struct LocalDay: Equatable, Sendable {
  /// Days since 1970-01-01.
  let number: Int64
  /// Seconds towards the east.
  let offset: Int64
  /// Seconds since 1970.
  let end: Int64

  /// The day at `second` since 1970.
  init(at second: Int64, in zone: ZoneRules) {
    let offset = zone.offset(at: second)
    number = CivilDate.divide(second + offset, by: 86_400).whole
    let midnight = zone.moment(ofLocal: (number + 1) * 86_400)
    self.offset = offset
    var (end, same) = (max(midnight, second + 1), second)
    if zone.offset(at: end) != offset {
      while end - same > 1 {
        let middle = same + (end - same) / 2
        if zone.offset(at: middle) == offset { same = middle } else { end = middle }
      }
    }
    self.end = end
  }
}
