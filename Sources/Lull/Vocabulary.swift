// The words that the library shares with the engine: one definition, seen from here without a second import.
@_exported public import struct LullModel.Accessory
@_exported public import enum LullModel.AccessorySubsystem
@_exported public import enum LullModel.ApplicationState
@_exported public import enum LullModel.BackgroundFetchResult
@_exported public import enum LullModel.CalendarUnit
@_exported public import enum LullModel.KillReason
@_exported public import enum LullModel.LaunchReason
@_exported public import enum LullModel.LaunchTarget
@_exported public import enum LullModel.LinePurpose
@_exported public import struct LullModel.LocalNotification
@_exported public import struct LullModel.Modes
@_exported public import enum LullModel.NotificationSound
@_exported public import struct LullModel.Offload
@_exported public import struct LullModel.Power
@_exported public import enum LullModel.PowerSource
@_exported public import enum LullModel.Profile
@_exported public import struct LullModel.RemoteNotification
@_exported public import struct LullModel.SurroundingChanges
@_exported public import enum LullModel.WakeReason

/// The supervisor of the program.
public enum Host: Sendable {
  /// The daemon, which is started first if needed. Where that fails the program supervises itself.
  case automatic
  /// The daemon, or an error.
  case daemon
  /// The program itself: its handlers are suspended instead of the process.
  case embedded
}

/// The means by which the program is put to sleep.
public enum Suspension: Sendable {
  /// The freezer of a cgroup: every process of the program stands still at once.
  case cgroup
  /// SIGSTOP, where no cgroup can be written: the process and its descendants are stopped.
  case signals
  /// Nobody puts the process to sleep: the program supervises itself, or the daemon is away.
  case none
}

/// The reason and the target of a launch.
public struct LaunchOptions: Equatable, Sendable {
  /// The state that the launch leads to.
  public let target: LaunchTarget
  /// The reason: `user` when a person or a script started the program.
  public let reason: LaunchReason
  /// The line on which data came, for a launch with the reason `data`: its name, or `line-1`, `line-2`, ...
  /// by its place in ``Application/restoredLines``.
  public let line: String?
  /// The link for which the program was launched; ``ApplicationDelegate/application(_:open:)`` follows.
  public let url: String?
}

/// A local notification that was presented or scheduled.
public struct NotificationToken: Hashable, Sendable {
  let number: UInt64
}
