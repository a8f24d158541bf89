package enum Version {
  /// By semantic versioning; CHANGELOG.md says what is new in it.
  package static let current = "0.1.0"

  /// For `--version`.
  package static let text = "lull \(current)"
}
