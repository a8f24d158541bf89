/// A lease as it is shown.
public struct LeaseView: Equatable, Sendable {
  /// The kind of the lease.
  public let kind: LeaseKind
  /// The moment at which the lease ends by itself; nil when it does not.
  public let ends: Moment?
}

/// A program as it is shown.
public struct AppView: Sendable {
  /// The program's id.
  public let id: AppID
  /// The declaration of the program.
  public let registration: Registration
  /// Its state.
  public let state: ApplicationState
  /// True from the decision to freeze until the program sleeps or the freeze is taken back.
  public let isFreezing: Bool
  /// The leases that it holds, in the order of `LeaseKind`.
  public let leases: [LeaseView]
  /// Its lines, in the order in which they were held.
  public let lines: [LineView]
  /// Its open finite-length tasks, in the order in which they began.
  public let tasks: [(id: TaskID, name: String)]
  /// Its audio sessions, in the order in which they were opened.
  public let sessions: [SessionView]
  /// True when the user has denied that the program records.
  public let isRecordingDenied: Bool
  /// True when the last observation found that the program records past its audio sessions.
  public let recordsStraight: Bool
  /// The scopes in which the program is sounding now.
  public let sounding: [AudioScope]
  /// Its keep-alive.
  public let keepAlive: KeepAliveView?
  /// The first moment at which it may look for new content; `never` without a route, nil for a program that
  /// asks for no fetch.
  public let nextFetch: Moment?
  /// The last wake.
  public let lastWake: Wake?
  /// The moment at which the program last fell asleep.
  public let lastSleep: Moment?
  /// The silence of a session that was still playing when the program last fell asleep.
  public let cutOffPause: Interval?
  /// The last refusal of a freeze; nil once a freeze is complete.
  public let lastRefusal: FreezeRefusal?
  /// The object of the last refusal.
  public let lastDetail: Detail
  /// The moment before which it is not tried to freeze the program; nil when no such wait runs.
  public let nextAttempt: Moment?
  /// The own timers of a program that sleeps.
  public let timer: TimerView?
  /// Time asleep and awake since it registered.
  public let asleep: Interval, awake: Interval
  /// Wakes since it registered.
  public let wakes: Int
  /// The last time that its memory was given back.
  public let compaction: CompactionView?
  /// True when the last period had more wakes than the budget.
  public let isOverBudget: Bool
}

/// A held line.
public struct LineView: Equatable, Sendable {
  /// Its id.
  public let id: LineID
  /// Its purpose.
  public let purpose: LinePurpose
  /// The offload rules of the line.
  public let offload: Offload
  /// Pings answered for the program.
  public let answered: Int
}

/// An audio session.
public struct SessionView: Equatable, Sendable {
  /// Its id.
  public let id: SessionID
  /// The declaration of the session.
  public let session: SessionTraits
  /// The order by which the session is played.
  public let order: AudioOrder
  /// True when the session plays or captures, or would if it were not held.
  public let isRunning: Bool
}

/// The own timers of a sleeping program.
public struct TimerView: Equatable, Sendable {
  /// The moment at which the first of them would be due if the program ran; nil when none can be read.
  public let due: Moment?
  /// The moment at which the program is woken for it; nil when it never is.
  public let latest: Moment?
  /// True when the program may have timers whose time cannot be read, such as an alarm.
  public let isHidden: Bool
  /// The moment at which its signals are looked at for them at the latest; nil when there is none.
  public let looks: Moment?
  /// The shortest time between two wakes of the program for its timers; nil when it is never woken for them.
  public let floor: Interval?
}

/// A keep-alive.
public struct KeepAliveView: Equatable, Sendable {
  /// The time-out that was asked for.
  public let timeout: Interval
  /// The first moment at which it may run beside another.
  public let opens: Moment
  /// The moment at which it must run.
  public let due: Moment
  /// The last run.
  public let lastRun: Moment?
  /// Its runs since it was set.
  public let runs: Int
}

/// A local notification that waits for the user or for its time.
public struct NotificationView: Equatable, Sendable {
  /// Its id.
  public let id: NotificationID
  /// The name of its program, which may have ended.
  public let program: String
  /// Its text and action.
  public let content: LocalNotification
  /// The moment at which it is due on the engine's clock; nil for a notification that has been shown.
  public let fires: Moment?
  /// The rule by which it is shown again.
  public let repeats: Repetition?
}

/// That for which a suspended machine is resumed next.
public struct ResumeView: Equatable, Sendable {
  /// The program, by its name.
  public let program: String
  /// The reason.
  public let reason: ResumeReason
  /// The moment.
  public let moment: Moment
}
