/// What the user has said of programs of a name.
public struct RecordingEntry: Equatable, Sendable {
  /// The name of the program.
  public var name: String
  /// The user's word.
  public var permission: RecordingPermission

  /// A program and the user's word on it.
  public init(_ name: String, _ permission: RecordingPermission) {
    (self.name, self.permission) = (name, permission)
  }
}

/// The user's word on whether a program may record.
public enum RecordingPermission: String, CaseIterable, Sendable {
  case allowed
  case denied

  /// The button of the notice that says so.
  package var title: String { self == .allowed ? "Allow" : "Deny" }
}
