// The words that the library shares with the engine: one definition, seen from here without a second import.
@_exported public import enum LullEngine.ApplicationState
@_exported public import enum LullEngine.KillReason
@_exported public import enum LullEngine.LaunchTarget
@_exported public import enum LullEngine.LineKind
@_exported public import struct LullEngine.LocalNotification
@_exported public import struct LullEngine.Modes
@_exported public import struct LullEngine.Offload
@_exported public import enum LullEngine.Profile
@_exported public import enum LullEngine.WakeReason

/// Who supervises the program.
public enum Host: Sendable {
  /// The daemon; where none runs one is started, and where none can be had the program supervises itself.
  case automatic
  /// The daemon, or an error.
  case daemon
  /// The program itself: its handlers are suspended instead of the process.
  case embedded
}

/// Why and where the program was launched.
public struct LaunchOptions: Equatable, Sendable {
  /// Where the launch leads.
  public let target: LaunchTarget
  /// The event that it was launched for; nil when the user started it.
  public let reason: WakeReason?
}

/// A finite-length task, from `beginBackgroundTask` to `endBackgroundTask`.
public struct BackgroundTask: Hashable, Sendable {
  let number: UInt64
}

/// A local notification that was presented or scheduled.
public struct NotificationToken: Hashable, Sendable {
  let number: UInt64
}
