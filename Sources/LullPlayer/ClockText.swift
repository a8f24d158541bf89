/// Positions and durations as people write them: `1:23`, `1:02:03`.
package enum ClockText {
  /// Whole seconds, rounded down; `-:--` for anything that is no number.
  package static func text(_ seconds: Double?) -> String {
    guard let seconds, seconds.isFinite, seconds < 1e9 else { return "-:--" }
    let whole = Int(max(0, seconds))
    let (hours, minutes, rest) = (whole / 3600, whole / 60 % 60, whole % 60)
    return hours > 0 ? "\(hours):\(two(minutes)):\(two(rest))" : "\(minutes):\(two(rest))"
  }

  /// Reads `83`, `83.5`, `1:23` or `1:02:03.5`; nil for anything else.
  package static func seconds(_ text: some StringProtocol) -> Double? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard (1...3).contains(parts.count), let last = number(parts[parts.count - 1]) else { return nil }
    guard parts.count == 1 || last < 60 else { return nil }
    var total = 0.0
    for (place, part) in parts.dropLast().enumerated() {
      guard let value = UInt32(part), place == 0 || value < 60 else { return nil }
      total = (total + Double(value)) * 60
    }
    return total + last
  }

  private static func number(_ text: some StringProtocol) -> Double? {
    guard !text.isEmpty, text.utf8.allSatisfy({ 0x30...0x39 ~= $0 || $0 == UInt8(ascii: ".") }) else {
      return nil
    }
    return Double(text).flatMap { $0.isFinite ? $0 : nil }
  }

  private static func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
}
