/// Every number that the engine goes by. The defaults are those of the seeds and of the design.
public struct Policy: Equatable, Sendable {
  /// From the launch to the return of `didFinishLaunching`; past it the program is killed.
  public var launchLimit = Interval.seconds(5)
  /// For `willResignActive` and `didEnterBackground` to return; past it the program is killed.
  public var backgroundLimit = Interval.seconds(5)
  /// For `willTerminate` to return; past it the program is killed.
  public var terminateLimit = Interval.seconds(5)
  /// Run time after a wake.
  public var wakeRunTime = Interval.seconds(10)
  /// Run time of the keep-alive handler; past it the program is frozen, not killed.
  public var keepAliveRunTime = Interval.seconds(10)
  /// Run time after a lost connection.
  public var lostConnectionGrace = Interval.seconds(60)
  /// The shortest keep-alive time-out (`setKeepAliveTimeout:handler:`).
  public var keepAliveMinimum = Interval.seconds(600)
  /// Finite-length tasks, per stay in the background, profile `ios4`.
  public var taskBudgetIOS4 = Interval.seconds(600)
  /// Finite-length tasks, per stay in the background, profile `ios7`.
  public var taskBudgetIOS7 = Interval.seconds(180)
  /// How long before the end of that time the expiration handlers run.
  public var expirationLead = Interval.seconds(5)
  /// Wakes of one program within `wakeBudgetPeriod`; more are reported.
  public var wakeBudget = 15
  /// The period over which wakes are counted.
  public var wakeBudgetPeriod = Interval.seconds(300)
  /// A freeze that has not completed by then is taken back.
  public var freezeLimit = Interval.seconds(2)
  /// From a program's `done` to its freeze: it is on its way from saying so to its wait, and a freeze that
  /// meets it there costs two more wake-ups.
  public var settlingTime = Interval(nanoseconds: 200_000)
  /// The wait before the second try after a refused freeze; it doubles with each refusal. Short, because the
  /// freeze often meets a program that is about to wait.
  public var freezeRetryFirst = Interval.milliseconds(2)
  /// The longest wait between two tries.
  public var freezeRetryLast = Interval.seconds(60)
  /// From a wake by data to the first look whether a command is idle; it doubles with each refusal.
  public var idleFirst = Interval.milliseconds(25)
  /// The longest wait between two looks.
  public var idleLast = Interval.seconds(10)
  /// How long a command stays awake after its start, a keep-alive or an operator's wake, because what it
  /// sends then may be answered.
  public var linger = Interval.seconds(1)
  /// The next look at a command waits so many times as long as the last one took of the processor: the
  /// daemon's own share is bounded. With more than `lookCrowd` programs it waits longer still.
  public var lookShare: Int64 = 200
  /// So many programs may each have the whole share.
  public var lookCrowd: Int64 = 10
  /// How long nothing may have come or gone on the lines of a command that ticks.
  public var quiet = Interval.seconds(1)
  /// The same while UDP sockets are open that were not when it last slept: a call may be going on.
  public var sessionQuiet = Interval.seconds(60)
  /// The longest wait for an answer over UDP that must run out once before a command with a new socket
  /// sleeps.
  public var queryTime = Interval.seconds(30)
  /// How often a sleeper is woken for its own timers at the most; the shortest time-out of a keep-alive.
  public var timerFloor = Interval.seconds(600)
  /// The same for one that lost a connection because it could not use its timers.
  public var timerFloorLeast = Interval.seconds(15)
  /// The least that may be asked for.
  public var timerFloorMinimum = Interval.seconds(5)
  /// A command that waits with a shorter time-out than this ticks.
  public var tick = Interval.seconds(1)
  /// What a command sends so soon after something came is taken for the answer to it.
  public var answering = Interval.milliseconds(200)
  /// The longest nap of a command after which it may still read what is unread.
  public var longestNap = Interval.seconds(60)
  /// The wait after a refusal whose reason hardly ever changes.
  public var hopelessRetry = Interval.seconds(60)
  /// What a command has left unread so long, doing nothing else, does not keep it awake any more.
  public var disregardAfter = Interval.seconds(3)
  /// How long a command that was asked to end is left awake.
  public var endingTime = Interval.seconds(60)
  /// How long a command is watched after its trial freeze.
  public var trialObservation = Interval.seconds(1)
  /// A command that ends badly so soon after its trial did not bear it; later it has reasons of its own.
  public var trialBlame = Interval.milliseconds(200)
  /// At least one real ping in this time reaches a program whose pings are answered for it.
  public var offloadLimit = Interval.seconds(600)
  /// So many pings of a line are answered for a program within `answerPeriod`; more of them wake it.
  public var answersPerPeriod = 30
  /// The period over which answered pings are counted.
  public var answerPeriod = Interval.seconds(60)
  /// Programs at once.
  public var maximumPrograms = 2048
  /// Lines of one program.
  public var maximumLines = 16_384
  /// Descriptors of a command that are looked at one by one; those in an epoll set count as one.
  public var maximumDescriptors = 4096
  /// Processes of a command that are looked at.
  public var maximumProcesses = 512
  /// Finite-length tasks of one program open at once.
  public var maximumTasks = 128
  /// Local notifications of one program scheduled at once; as many can wait for an answer.
  public var maximumNotifications = 128
  /// Sessions of sound of one program.
  public var maximumSessions = 32
  /// How long a deep buffer is filled on after the last that was heard, such as before a hidden track.
  public var silentRefills = Interval.seconds(600)
  /// Run time to fill a deep buffer that is silent.
  public var silentRefillTime = Interval.seconds(2)
  /// Afterwards it is left asleep so many times as long as that took.
  public var silentRefillShare: Int64 = 9
  /// The longest hangover that the owner of the machine may set for a program.
  public var silenceMaximum = Interval.seconds(3600)
  /// How often the paths of UDP sockets are kept open at the most.
  public var pathsMinimum = Interval.seconds(1)
  /// The longest wait for an answer that may be asked for.
  public var lingerMaximum = Interval.seconds(3600)
  /// Nothing that a program asks for is longer: 100 years.
  public var longest = Interval.seconds(3_153_600_000)
  /// The shortest repeat interval of a scheduled notification.
  public var notificationRepeatMinimum = Interval.seconds(60)
  /// When a program counts as audible.
  public var audibility = AudibilityPolicy()

  /// The defaults.
  public init() {}

  /// The time for finite-length tasks in one stay in the background.
  public func taskBudget(_ profile: Profile) -> Interval {
    switch profile {
    case .ios4: taskBudgetIOS4
    case .ios7: taskBudgetIOS7
    }
  }
}
