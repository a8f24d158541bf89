internal import Glibc

/// The functions of the C library's mathematics that the design of filters and levels in decibels take.
package enum Mathematics {
  /// The angle is in radians.
  package static func sine(_ angle: Double) -> Double { sin(angle) }

  /// The angle is in radians.
  package static func tangent(_ angle: Double) -> Double { tan(angle) }

  /// The level of no power is minus infinity.
  package static func decibels(power: Double) -> Double { 10 * log10(power) }

  package static func power(decibels: Double) -> Double { pow(10, decibels / 10) }
}

extension FixedWidthInteger {
  /// A value out of range gives the nearest possible number, and NaN gives 0: numbers of files and of other
  /// programs may be anything.
  @inlinable package init(saturating value: Double) {
    if let exact = Self(exactly: value.rounded(.towardZero)) {
      self = exact
    } else if value.isNaN {
      self = 0
    } else {
      self = value < 0 ? .min : .max
    }
  }
}
