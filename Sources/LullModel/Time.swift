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

/// A length of time in whole nanoseconds.
///
/// The kernel's timers count in 64-bit nanoseconds; `Swift.Duration` is 128 bits wide and every
/// conversion costs a division on the wake path.
public struct Interval: Hashable, Comparable, Sendable {
  /// The length in nanoseconds; may be negative.
  public var nanoseconds: Int64

  /// An interval of this many nanoseconds.
  @inlinable public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// No time at all.
  @inlinable public static var zero: Interval { Interval(nanoseconds: 0) }

  /// An interval of whole seconds; saturates instead of overflowing.
  @inlinable public static func seconds(_ count: Int64) -> Interval {
    Interval(nanoseconds: 1_000_000_000).scaled(by: count)
  }

  /// An interval of whole milliseconds; saturates instead of overflowing.
  @inlinable public static func milliseconds(_ count: Int64) -> Interval {
    Interval(nanoseconds: 1_000_000).scaled(by: count)
  }

  /// The length in seconds, rounded to what a `Double` can hold.
  @inlinable public var seconds: Double { Double(nanoseconds) / 1e9 }

  /// True when `lhs` is shorter than `rhs`.
  @inlinable public static func < (lhs: Interval, rhs: Interval) -> Bool { lhs.nanoseconds < rhs.nanoseconds }

  /// The sum of both lengths; saturates instead of overflowing.
  @inlinable public static func + (lhs: Interval, rhs: Interval) -> Interval {
    Interval(nanoseconds: saturatingSum(lhs.nanoseconds, rhs.nanoseconds))
  }

  /// The difference of both lengths; saturates instead of overflowing.
  @inlinable public static func - (lhs: Interval, rhs: Interval) -> Interval {
    Interval(nanoseconds: saturatingDifference(lhs.nanoseconds, rhs.nanoseconds))
  }

  /// The length taken `factor` times and divided by `divisor`; saturates instead of overflowing.
  @inlinable public func scaled(by factor: Int64, over divisor: Int64 = 1) -> Interval {
    let (product, overflow) = nanoseconds.multipliedReportingOverflow(by: factor)
    guard overflow || product == .min || divisor == 0 else {
      return Interval(nanoseconds: product / divisor)
    }
    let wide = Int128(nanoseconds) * Int128(factor)
    guard divisor == 0 else { return Interval(nanoseconds: Int64(clamping: wide / Int128(divisor))) }
    return Interval(nanoseconds: wide == 0 ? 0 : wide < 0 ? .min : .max)
  }

  /// The length, or the nearest bound.
  public func clamped(to bounds: ClosedRange<Interval>) -> Interval {
    min(max(self, bounds.lowerBound), bounds.upperBound)
  }

  /// The length doubled `times` times, at most `longest`.
  public func doubled(_ times: Int64, atMost longest: Interval) -> Interval {
    min(longest, scaled(by: 1 << min(times, 30)))
  }
}

/// The sum, or the end of the numbers beyond which it lies.
@inlinable func saturatingSum(_ a: Int64, _ b: Int64) -> Int64 {
  let (sum, overflow) = a.addingReportingOverflow(b)
  guard overflow else { return sum }
  return a < 0 ? .min : .max
}

@inlinable func saturatingDifference(_ a: Int64, _ b: Int64) -> Int64 {
  let (difference, overflow) = a.subtractingReportingOverflow(b)
  guard overflow else { return difference }
  return a < 0 ? .min : .max
}
