/// Whole numbers in plain decimal, without `+`, spaces or separators.
enum Decimal {
  static func unsigned(_ text: String) -> UInt64? {
    unsigned(text.utf8)
  }

  static func integer(_ text: String) -> Int64? {
    guard text.utf8.first == UInt8(ascii: "-") else {
      return unsigned(text.utf8).flatMap(Int64.init(exactly:))
    }
    guard let magnitude = unsigned(text.utf8.dropFirst()) else { return nil }
    if magnitude == Int64.min.magnitude { return .min }
    return Int64(exactly: magnitude).map { -$0 }
  }

  static func unsigned(_ digits: some Collection<UInt8>) -> UInt64? {
    guard !digits.isEmpty else { return nil }
    var value: UInt64 = 0
    for digit in digits {
      guard digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") else { return nil }
      let (tens, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, carry) = tens.addingReportingOverflow(UInt64(digit - UInt8(ascii: "0")))
      guard !overflow, !carry else { return nil }
      value = sum
    }
    return value
  }
}

extension Double {
  /// The number without `.0` when it is whole.
  package var plain: String {
    let text = String(self)
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}

/// Durations: seconds with decimals on the wire, nanoseconds in memory; exact in both directions.
enum Seconds {
  private static let perSecond: Int64 = 1_000_000_000
  private static let decimals = 9

  /// Nil when the text is not seconds, has more than nine decimals or does not fit.
  static func interval(_ text: String) -> Interval? {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
    guard let whole = Decimal.unsigned(parts[0]), let seconds = Int64(exactly: whole) else { return nil }
    var fraction: Int64 = 0
    if parts.count == 2 {
      guard parts[1].count <= decimals, let digits = Decimal.unsigned(parts[1]) else { return nil }
      fraction = Int64(digits)
      for _ in parts[1].count..<decimals { fraction *= 10 }
    }
    let (product, overflow) = seconds.multipliedReportingOverflow(by: perSecond)
    let (sum, carry) = product.addingReportingOverflow(fraction)
    return overflow || carry ? nil : Interval(nanoseconds: sum)
  }

  /// A negative duration is written as 0: it comes from a deadline that has just passed.
  static func text(_ interval: Interval) -> String {
    let (seconds, rest) = max(0, interval.nanoseconds).quotientAndRemainder(dividingBy: perSecond)
    guard rest > 0 else { return String(seconds) }
    var digits = Array(String(rest).utf8)
    digits.insert(contentsOf: repeatElement(UInt8(ascii: "0"), count: decimals - digits.count), at: 0)
    while digits.last == UInt8(ascii: "0") { digits.removeLast() }
    return "\(seconds)." + String(decoding: digits, as: UTF8.self)
  }

  static func range(_ bounds: ClosedRange<Interval>) -> String {
    "seconds from \(text(bounds.lowerBound)) to \(text(bounds.upperBound))"
  }
}
