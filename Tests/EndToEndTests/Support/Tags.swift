import Testing

extension Tag {
  /// Processes that are killed in the middle of their work.
  @Tag static var faults: Self
  /// Input that must be refused.
  @Tag static var badInput: Self
}
