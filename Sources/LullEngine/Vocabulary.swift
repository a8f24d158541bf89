/// The state of a program (App States and Multitasking, Table 3-1). Raw values are the protocol's words.
public enum ApplicationState: String, CaseIterable, Sendable {
  /// Not launched, or ended.
  case notRunning
  /// In the foreground, not receiving events; a passing state.
  case inactive
  /// In the foreground, receiving events.
  case active
  /// In the background, executing code.
  case background
  /// In the background, frozen.
  case suspended
}

/// The messages of the application delegate, in the seeds' names.
public enum DelegateMessage: String, CaseIterable, Sendable {
  case willFinishLaunching, didFinishLaunching, didBecomeActive, willResignActive
  case didEnterBackground, willEnterForeground, willTerminate
}

/// A reason for which a program may not be frozen.
public enum LeaseKind: String, CaseIterable, Sendable {
  case launching, transition, wake, keepalive, task, audible, recording, call, refill
}

/// Why a sleeping program was woken.
public enum WakeReason: String, CaseIterable, Sendable {
  /// Bytes arrived on a line.
  case data
  /// The peer closed a line.
  case closed
  /// A line failed.
  case error
  /// A listening line has a connection to accept.
  case accept
  /// The keep-alive handler is due.
  case keepalive
  /// The user chose a notification's action.
  case notification
  /// An accessory has data.
  case accessory
  /// A process of the program ended.
  case child
  /// A connection was made, or takes bytes again.
  case writable
  /// Its deep buffer of sound runs low.
  case refill
  /// A time-out of its own is over.
  case timer
  /// Somebody asked for it.
  case `operator`
  /// Somebody else thawed it, the freeze was taken back, or the supervisor was restarted.
  case unfrozen
}

/// A background mode that a program declares (Background Execution, Table 3-1).
public struct Modes: OptionSet, Hashable, Sendable {
  /// The bits.
  public let rawValue: UInt8
  /// The modes with these bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  /// Provides Voice over IP: its lines are watched and its keep-alive handler runs.
  public static let voip = Modes(rawValue: 1)
  /// Plays or records sound in the background.
  public static let audio = Modes(rawValue: 2)
  /// Works with an accessory that delivers updates.
  public static let externalAccessory = Modes(rawValue: 4)

  /// Every mode with the protocol's word for it, in the order of display.
  public static let names: [(mode: Modes, name: String)] = [
    (.voip, "voip"), (.audio, "audio"), (.externalAccessory, "external-accessory"),
  ]
}

/// How long finite-length tasks may run in one stay in the background.
public enum Profile: String, CaseIterable, Sendable {
  /// 600 s, as iOS 4 to 6.
  case ios4
  /// 180 s, as iOS 7 and 8.
  case ios7
}

/// Where a launch leads.
public enum LaunchTarget: String, CaseIterable, Sendable {
  case foreground, background
}

/// How a process ended.
public enum ExitStatus: Hashable, Sendable {
  /// It returned or called `exit` with this status.
  case exited(Int32)
  /// A signal with this number ended it.
  case signaled(Int32)
  /// It ended, but its status went to somebody else.
  case unknown
}

/// Why the engine had a program killed.
public enum KillReason: String, CaseIterable, Sendable {
  /// It was not ready in time after its launch.
  case launchLimit = "launch-limit"
  /// `willResignActive` or `didEnterBackground` did not return in time.
  case backgroundLimit = "background-limit"
  /// `willTerminate` did not return in time.
  case terminateLimit = "terminate-limit"
  /// A finite-length task was still open at the end of its time.
  case taskLimit = "task-limit"
  /// The user force-quit it.
  case quit
  /// It exits where others are suspended.
  case exitsOnSuspend = "exits-on-suspend"
}
