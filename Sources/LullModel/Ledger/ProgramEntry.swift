/// A program that is managed, for the supervisor after this one.
public struct ProgramEntry: Equatable, Sendable {
  /// The means by which a program is suspended.
  public enum Suspension: String, CaseIterable, Sendable {
    /// The freezer of cgroup v2.
    case cgroup
    /// SIGSTOP and SIGCONT.
    case signal
  }

  /// Its name.
  public var name: String
  /// Its first process.
  public var process: ProcessIdentity
  /// The means by which it is suspended.
  public var suspension: Suspension
  /// The path of its cgroup.
  public var cgroup: String?
  /// The command that was run; nil for a program that registered by itself, and will again.
  public var command: CommandEntry?
  /// The end of its first process; nil while that runs. Others of the program may go on.
  public var exit: EndEntry?
  /// The progress of this supervisor with it; nil when it began under this supervisor.
  public var progress: ReturnProgress?
  /// The supervisors in a row that died of it.
  public var deaths: Int

  /// A program with these parts.
  public init(
    name: String, process: ProcessIdentity, suspension: Suspension, cgroup: String? = nil,
    command: CommandEntry? = nil, exit: EndEntry? = nil, progress: ReturnProgress? = nil, deaths: Int = 0
  ) {
    (self.name, self.process, self.suspension, self.cgroup) = (name, process, suspension, cgroup)
    (self.command, self.exit, self.progress, self.deaths) = (command, exit, progress, deaths)
  }
}

/// A command that was run, for the supervisor after this one.
public struct CommandEntry: Equatable, Sendable {
  /// The request that started it, as a text line, so that its fields stay in force.
  public var run: String
  /// The command with its arguments.
  public var words: String
  /// True when the command is never to be frozen.
  public var isFreezeExempt: Bool
  /// The moment of its start, in nanoseconds of CLOCK_BOOTTIME.
  public var startedAt: Int64?
  /// The moment when its keep-alive last ran, in nanoseconds of CLOCK_BOOTTIME.
  public var keepAliveRanAt: Int64?
  /// The moment of its last fetch, in nanoseconds of CLOCK_BOOTTIME.
  public var fetchedAt: Int64?
  /// The reason for which it was asked to end, or was killed.
  public var ending: KillReason?
  /// That reason in the record of its end.
  public var endWord: OpenWord<EndReason>?
  /// The last moment at which it was sent a signal that asks for its end, in nanoseconds of CLOCK_BOOTTIME.
  public var askedToEndAt: Int64?
  /// True once it has registered through the library, as it will again under the next supervisor.
  public var speaks: Bool

  /// A command with these parts.
  public init(
    run: String, words: String, isFreezeExempt: Bool = false, startedAt: Int64? = nil,
    keepAliveRanAt: Int64? = nil, fetchedAt: Int64? = nil, ending: KillReason? = nil,
    endWord: OpenWord<EndReason>? = nil, askedToEndAt: Int64? = nil, speaks: Bool = false
  ) {
    (self.fetchedAt, self.speaks) = (fetchedAt, speaks)
    (self.run, self.words, self.isFreezeExempt) = (run, words, isFreezeExempt)
    (self.startedAt, self.keepAliveRanAt) = (startedAt, keepAliveRanAt)
    (self.ending, self.endWord, self.askedToEndAt) = (ending, endWord, askedToEndAt)
  }
}

/// An installed program, for the supervisor after this one. Moments are nanoseconds of CLOCK_BOOTTIME.
public struct InstalledEntry: Equatable, Sendable {
  /// Its name.
  public var name: String
  /// Its state: `running`, `waiting` (it is to be started), `ended` or `quit`.
  public var state: InstalledState
  /// The reason of its next start, or of its last one.
  public var cause: LaunchReason?
  /// Crashes and failed starts in a row.
  public var restarts: Int64
  /// The moment at which the wait before its next start is over.
  public var due: Int64?
  /// The beginning of its life, or of its last one.
  public var cameAt: Int64?
  /// The time-out of the keep-alive that it had when it ended.
  public var keepAlive: Interval?
  /// The last run of that keep-alive.
  public var lastRun: Int64?
  /// The moment from which the time-out counts where it has not run.
  public var since: Int64?
  /// The shortest time between two fetches, its multiple that holds for now, and the last fetch.
  public var fetch: Interval?, stretch: Int64?, fetchedAt: Int64?

  /// A program with these parts.
  public init(
    name: String, state: InstalledState, cause: LaunchReason? = nil, restarts: Int64 = 0, due: Int64? = nil,
    cameAt: Int64? = nil, keepAlive: Interval? = nil, lastRun: Int64? = nil, since: Int64? = nil,
    fetch: Interval? = nil, stretch: Int64? = nil, fetchedAt: Int64? = nil
  ) {
    (self.fetch, self.stretch, self.fetchedAt) = (fetch, stretch, fetchedAt)
    (self.name, self.state, self.cause, self.restarts) = (name, state, cause, restarts)
    (self.due, self.cameAt) = (due, cameAt)
    (self.keepAlive, self.lastRun, self.since) = (keepAlive, lastRun, since)
  }
}

/// A notification, for the supervisor after this one.
public struct NotificationEntry: Equatable, Sendable {
  /// Its number.
  public var id: NotificationID
  /// The name of its program.
  public var program: String
  /// Its text, its action and its sound.
  public var content: LocalNotification
  /// True while it waits for its time, false while it is shown.
  public var isScheduled: Bool
  /// The date at which it is due, as the time since 1970.
  public var date: Interval?
  /// The moment at which it is due, in nanoseconds of CLOCK_BOOTTIME; it goes before the date while the
  /// machine runs. For one that is shown: the moment at which that was.
  public var due: Int64?
  /// The rule by which it is shown again.
  public var repeats: RepeatRule?
  /// The time zone of that rule; nil for the machine's own.
  public var zone: String?
  /// The first date, from which repeats count.
  public var first: Interval?

  /// A notification with these parts.
  public init(
    id: NotificationID, program: String, content: LocalNotification, isScheduled: Bool,
    date: Interval? = nil, due: Int64? = nil, repeats: RepeatRule? = nil, zone: String? = nil,
    first: Interval? = nil
  ) {
    (self.id, self.program, self.content, self.isScheduled) = (id, program, content, isScheduled)
    (self.date, self.due, self.repeats, self.zone, self.first) = (date, due, repeats, zone, first)
  }
}
