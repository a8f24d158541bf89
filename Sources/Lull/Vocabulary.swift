// The words that the library shares with the engine: one definition, seen from here without a second import.
@_exported public import enum LullModel.ApplicationState
@_exported public import enum LullModel.KillReason
@_exported public import enum LullModel.LaunchTarget
@_exported public import enum LullModel.LinePurpose
@_exported public import struct LullModel.LocalNotification
@_exported public import struct LullModel.Modes
@_exported public import struct LullModel.Offload
@_exported public import enum LullModel.Profile
@_exported public import enum LullModel.WakeReason

/// The supervisor of the program.
public enum Host: Sendable {
  /// The daemon, which is started where none runs. Where that fails the program supervises itself.
  case automatic
  /// The daemon, or an error.
  case daemon
  /// The program itself: its handlers are suspended instead of the process.
  case embedded
}

/// The reason and the target of a launch.
public struct LaunchOptions: Equatable, Sendable {
  /// The state that the launch leads to.
  public let target: LaunchTarget
}

/// A finite-length task, from `beginBackgroundTask` to `endBackgroundTask`.
public struct BackgroundTask: Hashable, Sendable {
  let number: UInt64
}

/// A local notification that was presented or scheduled.
public struct NotificationToken: Hashable, Sendable {
  let number: UInt64
}
