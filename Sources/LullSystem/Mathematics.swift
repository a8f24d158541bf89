internal import Glibc

/// The functions of the C library's mathematics that the design of filters and levels in decibels take.
package enum Mathematics {
  /// The sine of an angle in radians.
  ///
  /// The corresponding C function is `sin`.
  package static func sine(_ angle: Double) -> Double { sin(angle) }

  /// The tangent of an angle in radians.
  ///
  /// The corresponding C function is `tan`.
  package static func tangent(_ angle: Double) -> Double { tan(angle) }

  /// The level in decibels of a power; minus infinity for none.
  ///
  /// The corresponding C function is `log10`.
  package static func decibels(power: Double) -> Double { 10 * log10(power) }

  /// The power of a level in decibels.
  ///
  /// The corresponding C function is `pow`.
  package static func power(decibels: Double) -> Double { pow(10, decibels / 10) }
}

extension FixedWidthInteger {
  /// The whole number next to `value` toward zero; the nearest possible one for a value out of range, 0 for
  /// NaN. Numbers of files and of other programs may be anything.
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
