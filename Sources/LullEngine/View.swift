/// What keeps a program awake.
public struct LeaseView: Equatable, Sendable {
  /// Which lease.
  public let kind: LeaseKind
  /// When it ends by itself; nil when it does not.
  public let ends: Moment?
}

/// A program as `status` shows it.
public struct AppView: Sendable {
  /// The program's id.
  public let id: AppID
  /// What it declared.
  public let registration: Registration
  /// Its state.
  public let state: ApplicationState
  /// True from the decision to freeze until it sleeps or the freeze is taken back.
  public let isFreezing: Bool
  /// The leases that it holds, in the order of `LeaseKind`.
  public let leases: [LeaseView]
  /// Its lines, in the order in which they were held.
  public let lines: [LineView]
  /// Its open finite-length tasks, in the order in which they began.
  public let tasks: [(id: TaskID, name: String)]
  /// Its sessions of sound, in the order in which they were opened.
  public let sessions: [SessionView]
  /// What of its sound is heard now.
  public let heard: [SoundScope]
  /// Its keep-alive.
  public let keepAlive: KeepAliveView?
  /// The last wake.
  public let lastWake: Wake?
  /// When it last fell asleep.
  public let lastSleep: Moment?
  /// Why the last freeze did not come about; nil once one has.
  public let lastRefusal: FreezeRefusal?
  /// What that refusal is about.
  public let lastDetail: Detail
  /// The first own timer of a program that sleeps.
  public let timer: TimerView?
  /// Time asleep and awake since it registered.
  public let asleep: Interval, awake: Interval
  /// Wakes since it registered.
  public let wakes: Int
  /// More wakes than the budget in the last period.
  public let isOverBudget: Bool
}

/// A held line.
public struct LineView: Equatable, Sendable {
  /// Its id.
  public let id: LineID
  /// Its kind.
  public let kind: LineKind
  /// What may be answered for the program.
  public let offload: Offload
  /// Pings answered for the program.
  public let answered: Int
}

/// A session of sound.
public struct SessionView: Equatable, Sendable {
  /// Its id.
  public let id: SessionID
  /// What its program said of it.
  public let session: SoundSession
  /// How it is to be heard.
  public let order: SoundOrder
  /// It plays or captures, or would if it were not held.
  public let isRunning: Bool
}

/// An own timer of a sleeping program.
public struct TimerView: Equatable, Sendable {
  /// When it would be due if the program ran.
  public let due: Moment
  /// When the program is woken for it; nil when it never is.
  public let latest: Moment?
  /// How often the program is woken for its timers at the most; nil when it never is.
  public let floor: Interval?
}

/// A keep-alive.
public struct KeepAliveView: Equatable, Sendable {
  /// The time-out that was asked for.
  public let timeout: Interval
  /// When it may run beside another.
  public let opens: Moment
  /// When it must run.
  public let due: Moment
  /// The last run.
  public let lastRun: Moment?
  /// Runs since it was installed.
  public let runs: Int
}

/// A local notification that waits for the user or for its time.
public struct NotificationView: Equatable, Sendable {
  /// Its id.
  public let id: NotificationID
  /// The program.
  public let app: AppID
  /// The program's name.
  public let program: String
  /// Its text and action.
  public let content: LocalNotification
  /// When it is due on the engine's clock; nil for one that has been shown.
  public let fires: Moment?
  /// The repeat interval.
  public let repeats: Interval?
}
