/// The numbers of the engine's rules. Where Apple gave a number (Background Execution, iOS App Programming
/// Guide), the default is that one.
public struct Policy: Equatable, Sendable {
  /// From the launch to the return of `didFinishLaunching`; after it the program is killed.
  public var launchLimit = Interval.seconds(5)
  /// For `willResignActive` and `didEnterBackground` to return; after it the program is killed.
  public var backgroundLimit = Interval.seconds(5)
  /// For `willTerminate` to return; after it the program is killed.
  public var terminateLimit = Interval.seconds(5)
  /// The time by which a limit that has passed moves while somebody traces the program.
  public var tracedLook = Interval.seconds(5)
  /// Run time after a wake.
  public var wakeRunTime = Interval.seconds(10)
  /// Run time of the keep-alive handler; after it the program is frozen, not killed.
  public var keepAliveRunTime = Interval.seconds(10)
  /// Run time after a lost connection.
  public var lostConnectionGrace = Interval.seconds(60)
  /// The time for which no accessory may come or go before those that did are told, in one wake; and the time
  /// after which they are told all the same.
  public var accessoryQuiet = Interval.seconds(1), accessoryLimit = Interval.seconds(10)
  /// The accessories that are kept apart until then; more wake every program of the mode.
  public var maximumAccessories = 64
  /// The shortest keep-alive time-out (`setKeepAliveTimeout:handler:`).
  public var keepAliveMinimum = Bounds.shortestKeepAlive
  /// Run time of a fetch, and of a push.
  public var fetchRunTime = Interval.seconds(30)
  /// The shortest time between two fetches for which a program may ask.
  public var fetchMinimum = Bounds.fetches.lowerBound
  /// A fetch that takes no longer than this is quick.
  public var fetchQuick = Interval.seconds(10)
  /// The gap between two fetches is at most this multiple of the interval asked for, for a program that finds
  /// nothing; on battery each gap is the second multiple.
  public var fetchStretch: Int64 = 4, fetchOnBattery: Int64 = 2
  /// Finite-length tasks, per stay in the background, profile `ios4`.
  public var taskBudgetIOS4 = Interval.seconds(600)
  /// Finite-length tasks, per stay in the background, profile `ios7`.
  public var taskBudgetIOS7 = Interval.seconds(180)
  /// The time from the call of the expiration handlers to the end of that time.
  public var expirationLead = Interval.seconds(5)
  /// Wakes of one program within `wakeBudgetPeriod`; more are reported.
  public var wakeBudget = Bounds.wakeBudget
  /// The period over which wakes are counted.
  public var wakeBudgetPeriod = Bounds.wakeBudgetPeriod
  /// From the close of a program's connection until the program has left, unless its process ends meanwhile.
  public var disconnectGrace = Interval.milliseconds(200)
  /// From a freeze until it is taken back as not complete.
  public var freezeLimit = Interval.seconds(2)
  /// From a program's `done` to its freeze. The program is on its way to its wait, and a freeze that meets it
  /// there costs two more wake-ups.
  public var settlingTime = Interval(nanoseconds: 200_000)
  /// The wait before the second try after a refused freeze; it doubles with each refusal. It is short,
  /// because the freeze often meets a program that is about to wait.
  public var freezeRetryFirst = Interval.milliseconds(2)
  /// The longest wait between two tries.
  public var freezeRetryLast = Interval.seconds(60)
  /// From a wake by data to the first observation of a command; it doubles with each refusal.
  public var idleFirst = Interval.milliseconds(25)
  /// The longest wait between two observations.
  public var idleLast = Interval.seconds(10)
  /// The time for which a command stays awake after its start, a keep-alive or an operator's wake, because an
  /// answer may come to what it sends then.
  public var linger = Interval.seconds(1)
  /// The wait before the next observation of a command, as a multiple of the last one's processor time: it
  /// bounds the daemon's own share. With more than `observationCrowd` programs the wait is longer still.
  public var observationShare: Int64 = 200
  /// The longest such wait: an observation of many threads among many programs is dear.
  public var observationPause = Interval.seconds(60)
  /// The number of programs that may each have the whole share.
  public var observationCrowd: Int64 = 10
  /// The quiet time that the lines of a command that ticks must have had.
  public var quiet = Interval.seconds(1)
  /// The quiet time while UDP sockets are open that the command has opened since it last slept: it may be in
  /// a call.
  public var sessionQuiet = Interval.seconds(60)
  /// The longest wait for an answer over UDP that must run out once before a command with a new socket
  /// sleeps.
  public var queryTime = Interval.seconds(30)
  /// The longest time that a program on the library takes to find the next supervisor, also on a machine that
  /// is busy.
  public var searchTime = Interval.seconds(7)
  /// The longest time-out that must run out once before a command sleeps that has not answered what came.
  public var answerTime = Interval.seconds(2)
  /// The shortest time between two wakes of a sleeper for its own timers: the shortest time-out of a
  /// keep-alive.
  public var timerFloor = Bounds.shortestKeepAlive
  /// The least such time for a sleeper that lost a connection because it could not use its timers.
  public var timerFloorLeast = Interval.seconds(15)
  /// The shortest time between two looks at the signals of a sleeper in turns that come anyway.
  public var signalLook = Interval.seconds(1)
  /// The most such looks in one turn.
  public var signalLooks = 8
  /// The least floor of its timers for which a program may ask.
  public var timerFloorMinimum = Bounds.timerFloors.lowerBound
  /// The shortest time to the wake that a program asks for.
  public var wakeTimerMinimum = Bounds.wakeTimers.lowerBound
  /// A command that waits with a shorter time-out than this ticks.
  public var tick = Interval.seconds(1)
  /// The share of a processor, in per cent, from which on a command is at work, however short its naps are.
  public var workShare: Int64 = 10
  /// The shortest time over which that share is taken.
  public var workWindow = Interval.milliseconds(200)
  /// The longest time from what came to what a command sends as the answer to it.
  public var answering = Interval.milliseconds(200)
  /// The longest nap of a command after which it may still read what is unread.
  public var longestNap = Interval.seconds(60)
  /// The wait after a refusal whose reason hardly ever changes.
  public var hopelessRetry = Interval.seconds(60)
  /// The time after which unread bytes of a command that does nothing else no longer keep it awake.
  public var disregardAfter = Interval.seconds(3)
  /// The time for which a command that was asked to end is left awake.
  public var endingTime = Interval.seconds(60)
  /// The time for which a command is watched after its trial freeze.
  public var trialObservation = Interval.seconds(1)
  /// The time after the trial in which a bad end is blamed on the freeze; later the command has reasons of
  /// its own.
  public var trialBlame = Interval.milliseconds(200)
  /// At least one real ping in this time reaches a program whose pings are answered for it.
  public var offloadLimit = Interval.seconds(600)
  /// The pings of a line that are answered for a program within `answerPeriod`; more of them wake it.
  public var answersPerPeriod = 30
  /// The probes of a listening socket that are answered for a program within `answerPeriod`.
  public var probesPerPeriod = 600
  /// Probes that are being answered at a time, for all programs.
  public var maximumProbes = 16
  /// The longest time that a probe may take to say what it asks.
  public var probeTime = Interval.seconds(1)
  /// The period over which answered pings are counted.
  public var answerPeriod = Interval.seconds(60)
  /// Freeze-exempt commands that are remembered by their words.
  public var maximumFreezeExempt = 64
  /// Programs at once.
  public var maximumPrograms = 2048
  /// Lines of one program.
  public var maximumLines = 16_384
  /// Descriptors of a command that are observed one by one; those in an epoll set count as one.
  public var maximumDescriptors = 4096
  /// The longest time that a look before a freeze may hold up the loop in one turn: some 300 threads.
  public var lookTime = Interval.milliseconds(1)
  /// The longest time that the threads of a process may take to stop for an inspection, or a thread to be
  /// frozen again after it; a thread that takes longer is taken to be at work. On an idle machine this takes
  /// microseconds, on a loaded one until they get a processor, and the loop waits for it.
  public var inspectionTime = Interval.milliseconds(10)
  /// Files of threads in /proc that stay open between looks: of one process, and of the programs that were
  /// looked at last.
  public var lookFilesOfProcess = 32, lookFiles = 256
  /// The most descriptors of one wait in which a query is looked for: a resolver waits for one or two.
  public var queryDescriptors = 16
  /// The most descriptors of a process that are asked at each observation for the signals that they raise, in
  /// a program that acts on the usual ones.
  public var raisingDescriptors = 64
  /// The observations at which the descriptors of any program that acts on signals are asked: the first few
  /// after a change of these signals, and each of this period. All are asked where one was found to raise a
  /// signal.
  public var raisingLooks = 4, raisingPeriod = 16
  /// Processes of a command that are observed.
  public var maximumProcesses = 512
  /// Finite-length tasks of one program open at once.
  public var maximumTasks = 128
  /// Local notifications of one program scheduled at once; as many may wait for an answer.
  public var maximumNotifications = Bounds.scheduledNotifications
  /// Local notifications of programs that have ended, of all of them together.
  public var maximumLeftNotifications = 1024
  /// The time for which a call rings.
  public var ringingLimit = Interval.seconds(60)
  /// The time after a restart of the supervisor for which a call is shown whose program is not back yet.
  public var restoredCallLimit = Interval.seconds(10)
  /// The most installed programs that start at the same time, without those that somebody waits for.
  public var startsAtOnce = 4
  /// The most programs that start at the same time, with those that somebody waits for.
  public var launchesAtOnce = 8
  /// The longest time from the start of a program to its registration; for so long a command that runs may
  /// still register.
  public var launchTime = Interval.seconds(60)
  /// The start of a command is taken to last this long, or until its first freeze.
  public var commandStart = Interval.milliseconds(150)
  /// The time that a program which runs may take to come back to a supervisor that does not know it.
  public var returnTime = Bounds.returning
  /// The wait before a program that crashed, or could not be started, is started again; it doubles with each
  /// crash.
  public var crashWaitFirst = Interval.seconds(1)
  /// The longest of these waits.
  public var crashWaitLast = Interval.seconds(300)
  /// The life after which earlier crashes are forgotten.
  public var crashForgotten = Interval.seconds(600)
  /// The crashes in a row from which on a program waits also when data has come for it.
  public var crashesInRow = 3
  /// Links of one program that wait for the end of its launch.
  public var maximumLinks = 16
  /// Lines that are kept for the next starts of programs, of all of them together.
  public var maximumKeptLines = 1024
  /// The time for which an ended program is left to the one who restarts it, although something comes on a
  /// line that is kept for it.
  public var keptRestartTime = Interval.seconds(10)
  /// A command that slept when the supervisor died, and lives after this time, is believed to go on.
  public var keptLivingTime = Interval.seconds(1)
  /// A command that lives after this time is believed to go on with the lines that it got back.
  public var keptProvingTime = Bounds.keptProving
  /// The time between two looks at whether such a command takes its lines.
  public var keptLookTime = Interval.milliseconds(500)
  /// The number of looks that decides, and the number of the last ones that must find the command waiting:
  /// the first ones may meet its start. There is time for some more within `keptProvingTime`.
  public var keptLooks = 8, keptIdleLooks = 5
  /// The longest time of such a look, and the sockets of the command that it takes in.
  public var keptLookLimit = Interval.milliseconds(10), keptLookSockets = 256
  /// The time in which a program on the library declares the lines that it got back. A command that works
  /// for so long is believed to take them.
  public var keptTakingTime = Interval.seconds(60)
  /// Audio sessions of one program.
  public var maximumSessions = 32
  /// The time for which a deep buffer is still filled after its last audible sound, such as before a hidden
  /// track.
  public var silentRefills = Interval.seconds(600)
  /// Run time to fill a deep buffer that is silent.
  public var silentRefillTime = Interval.seconds(2)
  /// The sleep after such a fill, as a multiple of the time that the fill took.
  public var silentRefillShare: Int64 = 9
  /// The longest hangover that the owner of the machine may set for a program.
  public var silenceMaximum = Bounds.silences.upperBound
  /// The shortest interval in which the paths of UDP sockets are kept open.
  public var pathsMinimum = Bounds.udpKeepAlives.lowerBound
  /// The longest wait for an answer that may be asked for.
  public var lingerMaximum = Bounds.lingers.upperBound
  /// The longest time that a program may ask for.
  public var longest = Bounds.longest
  /// The shortest repeat interval of a scheduled notification.
  public var notificationRepeatMinimum = Interval.seconds(60)
  /// The time for which a descriptor waits for the `run` or `session` that it is for, and the room for a
  /// command for that command. A descriptor may, through others, hold the very connection on which it came,
  /// which would then never end.
  public var stagingTime = Interval.seconds(30)
  /// The time for which a signal that a program on the library blocks and has not taken keeps it awake.
  public var blockedSignalTime = Interval.seconds(60)
  /// The runs at once of the executable `notify` for notifications.
  public var notifyRunsAtOnce = 4
  /// The most notifications that wait for such a run.
  public var waitingNotifyRuns = 64
  /// The time that such a run may take.
  public var notifyRunTime = Interval.seconds(10)
  /// The rule by which a program counts as audible.
  public var audibility = AudibilityPolicy()
  /// The rules of short memory.
  public var pressure = PressurePolicy()
  /// The numbers of the shell itself.
  public var supervision = SupervisionPolicy()

  /// The rules of a shell that has each program in processes of its own; nil where the engine runs inside the
  /// program.
  public var processes: ProcessPolicy?

  /// The defaults.
  public init() {}

  func refusal(ofKeepAlive timeout: Interval) -> Refusal? {
    timeout < keepAliveMinimum ? .keepAliveTooShort(timeout, minimum: keepAliveMinimum) : nil
  }

  /// The time for finite-length tasks in one stay in the background.
  public func taskBudget(_ profile: Profile) -> Interval {
    switch profile {
    case .ios4: taskBudgetIOS4
    case .ios7: taskBudgetIOS7
    }
  }
}
