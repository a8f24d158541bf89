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

  package var isInForeground: Bool {
    switch self {
    case .inactive, .active: true
    case .notRunning, .background, .suspended: false
    }
  }
}

/// The messages of the application delegate, by Apple's names (App States and Multitasking).
public enum DelegateMessage: String, CaseIterable, Sendable {
  case willFinishLaunching, didFinishLaunching, didBecomeActive, willResignActive
  case didEnterBackground, willEnterForeground, willTerminate
  case protectedDataWillBecomeUnavailable, protectedDataDidBecomeAvailable
}

/// The target of a launch.
public enum LaunchTarget: String, CaseIterable, Sendable {
  case foreground, background
}

/// The reason for which a program was launched (`UIApplicationLaunchOptionsKey`). Raw values are the
/// protocol's words.
public enum LaunchReason: String, CaseIterable, Sendable {
  case user
  /// Somebody opened a link whose scheme the program declares.
  case url
  /// The user chose an action of a notification of the program, which had ended.
  case notification
  /// Data came on a line that was kept for the program.
  case data
  case keepalive
  /// The program is to look for new content.
  case fetch
  /// Somebody has pushed something to the program.
  case push
  /// The daemon started, as at the boot of the machine.
  case boot
  case crash

  /// True where nobody has asked to see the program.
  public var isInBackground: Bool {
    switch self {
    case .user, .url, .notification: false
    case .data, .keepalive, .fetch, .push, .boot, .crash: true
    }
  }
}

/// The result of a fetch or a push (`UIBackgroundFetchResult`). Raw values are the protocol's words.
public enum BackgroundFetchResult: String, CaseIterable, Sendable {
  /// There was new content.
  case newData = "new-data"
  case noData = "no-data"
  case failed
}

/// The state of an installed program. Raw values are the protocol's words.
public enum InstalledState: String, CaseIterable, Sendable {
  case running
  case starting
  /// It is started when its turn comes, or when the wait after a crash is over.
  case waiting
  /// It could not be started; the next try comes after a wait.
  case failed
  /// Its file has an error, or its command is gone. It is tried again when that changes.
  case misconfigured
  /// It ended by itself, or was never started. What comes for it starts it.
  case ended
  /// It was force-quit: nothing starts it but `start`.
  case quit
}

/// The limit for finite-length tasks in one stay in the background.
public enum Profile: String, CaseIterable, Sendable {
  /// 600 s, as iOS 4 to 6.
  case ios4
  /// 180 s, as iOS 7 and 8.
  case ios7
}

/// The reason for which the engine had a program killed.
public enum KillReason: String, CaseIterable, Sendable {
  /// The program was not ready in time after its launch.
  case launchLimit = "launch-limit"
  /// `willResignActive`, `didEnterBackground` or `protectedDataWillBecomeUnavailable` did not return in time.
  case backgroundLimit = "background-limit"
  /// `willTerminate` did not return in time.
  case terminateLimit = "terminate-limit"
  /// A finite-length task was still open at the end of its time.
  case taskLimit = "task-limit"
  /// The user force-quit the program.
  case quit
  /// The program exits where others are suspended.
  case exitsOnSuspend = "exits-on-suspend"
  /// Memory was short, and the program can come back.
  case purged
}

/// The end of a process.
public enum ExitStatus: Hashable, Sendable {
  /// The process returned or called `exit` with this status.
  case exited(Int32)
  /// A signal with this number ended the process.
  case signaled(Int32)
  /// The process ended, but its status went to somebody else.
  case unknown
}

/// The reason for which a program is started, with what it is to hear of.
public struct Launch: Equatable, Sendable {
  /// The reason.
  public var reason: LaunchReason
  /// The line on which data came, by the name that the program knows.
  public var line: String?
  /// The link that somebody opened.
  public var url: String?
  /// What was pushed.
  public var push: RemoteNotification?
  /// The notification that the user answered, and the action that the user chose.
  public var answer: Answer?

  /// The answer to a notification.
  public struct Answer: Equatable, Sendable {
    /// The notification.
    public var notification: NotificationID
    /// The action: its title, or `default`.
    public var action: String

    /// Makes the fields.
    public init(_ notification: NotificationID, action: String) {
      (self.notification, self.action) = (notification, action)
    }
  }

  /// Makes the fields.
  public init(
    _ reason: LaunchReason, line: String? = nil, url: String? = nil, push: RemoteNotification? = nil,
    answer: Answer? = nil
  ) {
    (self.reason, self.line, self.url, self.push, self.answer) = (reason, line, url, push, answer)
  }
}

/// A process: its number can be given again, but not with the same start time.
public struct ProcessIdentity: Hashable, Sendable {
  /// Its number.
  public var pid: Int32
  /// Its start time, in clock ticks since boot.
  public var start: UInt64

  /// A process with this number and start time.
  public init(pid: Int32, start: UInt64) { (self.pid, self.start) = (pid, start) }
}
