extension FixedWidthInteger {
  /// The whole number next to `value` toward zero; the nearest that is possible for one that is too large, 0
  /// for what is no number. Numbers of files and of other programs may be anything.
  public init(saturating value: Double) {
    if let exact = Self(exactly: value.rounded(.towardZero)) {
      self = exact
    } else if value.isNaN {
      self = 0
    } else {
      self = value < 0 ? .min : .max
    }
  }
}
