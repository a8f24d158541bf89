private import Glibc

/// The functions of the C library's mathematics that the design of filters and levels in decibels take.
public enum Mathematics {
  /// The sine of an angle in radians.
  ///
  /// The corresponding C function is `sin`.
  public static func sine(_ angle: Double) -> Double { sin(angle) }

  /// The tangent of an angle in radians.
  ///
  /// The corresponding C function is `tan`.
  public static func tangent(_ angle: Double) -> Double { tan(angle) }

  /// The level in decibels of a power; minus infinity for none.
  ///
  /// The corresponding C function is `log10`.
  public static func decibels(power: Double) -> Double { 10 * log10(power) }

  /// The power of a level in decibels.
  ///
  /// The corresponding C function is `pow`.
  public static func power(decibels: Double) -> Double { pow(10, decibels / 10) }
}
