package enum Version {
  /// The version of the project, by semantic versioning; CHANGELOG.md says what is new in it.
  package static let current = "0.1.0"

  /// The text that `--version` prints.
  package static let text = "lull \(current)"
}
