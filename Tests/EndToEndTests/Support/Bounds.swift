import Testing

/// The milliseconds within which a quiet program sleeps again. This is the promise itself, so a test may fail
/// by it.
let promptly: Int32 = 2_000

extension Tag {
  /// Processes that are killed in the middle of their work.
  @Tag static var faults: Self
  /// Input that must be refused.
  @Tag static var badInput: Self
}
