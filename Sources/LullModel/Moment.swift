/// A point on the engine's clock: nanoseconds since boot, counting suspend (CLOCK_BOOTTIME).
public struct Moment: Hashable, Comparable, Sendable {
  /// Nanoseconds since the clock's zero.
  public var nanoseconds: Int64

  /// The moment this many nanoseconds after the clock's zero.
  @inlinable public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// A moment later than every moment that can come: an end that is not set.
  @inlinable public static var never: Moment { Moment(nanoseconds: .max) }

  /// True when `lhs` comes before `rhs`.
  @inlinable public static func < (lhs: Moment, rhs: Moment) -> Bool { lhs.nanoseconds < rhs.nanoseconds }

  /// The moment `interval` later; `never` stays `never`.
  @inlinable public static func + (moment: Moment, interval: Interval) -> Moment {
    guard moment != .never else { return .never }
    return Moment(nanoseconds: saturatingSum(moment.nanoseconds, interval.nanoseconds))
  }

  /// The moment `interval` earlier; `never` stays `never`.
  @inlinable public static func - (moment: Moment, interval: Interval) -> Moment {
    guard moment != .never else { return .never }
    return Moment(nanoseconds: saturatingDifference(moment.nanoseconds, interval.nanoseconds))
  }

  /// The time from `earlier` to `later`.
  @inlinable public static func - (later: Moment, earlier: Moment) -> Interval {
    Interval(nanoseconds: saturatingDifference(later.nanoseconds, earlier.nanoseconds))
  }
}
