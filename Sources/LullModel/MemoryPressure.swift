/// The pressure on memory, as the daemon's triggers report it. Raw values are the protocol's words.
public enum MemoryPressure: String, CaseIterable, Sendable {
  /// Some process waits for memory too often.
  case warning
  /// All processes wait for memory at once, and nothing is done meanwhile.
  case critical
}

extension MemoryPressure: Comparable {
  /// True when `b` is worse.
  public static func < (a: Self, b: Self) -> Bool { a == .warning && b == .critical }
}
