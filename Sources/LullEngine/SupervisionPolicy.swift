/// The numbers of the shell: those by which processes of Lull restart each other (lulld restarts lull-audio
/// and lull-guard, and lull-guard restarts lulld), and its waits for the machine. These times are the
/// kernel's (CLOCK_BOOTTIME), however fast the engine's clock runs.
public struct SupervisionPolicy: Equatable, Sendable {
  /// After a thaw of many programs the processors are left to them for so long each, from the first thaw on.
  public var burstPause = Interval(nanoseconds: 25_000)
  /// The longest such time for all of them together.
  public var longestBurstPause = Interval.milliseconds(20)
  /// A process that lived shorter than this flaps: the next start waits.
  public var shortLife = Interval.seconds(1)
  /// The wait before a lull-audio that flaps is started again; any other is started at once.
  public var audioRestart = Interval.seconds(1)
  /// The wait before the next try where lull-audio cannot be started.
  public var audioRetry = Interval.seconds(5)
  /// From the end of lull-audio until its successor must have reported what still plays.
  public var audioNews = Interval.seconds(4)
  /// From the start of the successor until it must have reported that.
  public var audioNewsAfterStart = Interval.seconds(2)
  /// From the end of a lulld that named the next one to the end of a lull-audio to which no next one spoke.
  public var audioLinger = Interval.seconds(5)
  /// From the first word of the next lulld until sessions that their programs have not opened again are
  /// closed; and the time without need after which a lull-audio of the lulld before is ended.
  public var audioClaim = Interval.seconds(5)
  /// From the last bytes that lull-audio took to the moment at which it counts as hanging, while more wait
  /// for it.
  public var audioHang = Interval.seconds(2)
  /// From the start of a process that plays the file of a notification until it must have opened its audio
  /// session.
  public var alertOpening = Interval.seconds(5)
  /// The time in which such a process that was told to end must end, before it is killed.
  public var alertEnding = Interval.milliseconds(150)
  /// The shortest time from the start of one such process to the start of the next one.
  public var alertPause = Interval.seconds(1)
  /// Between two looks for signals to adopted sleepers, where the kernel does not tell of signals.
  public var signalLook = Interval.seconds(1)
  /// The time between two looks at programs that are only watched.
  public var dryLook = Interval.seconds(1)
  /// The lives of a lull-notify that were short, in a row, after which it is given up until something new is
  /// to be shown.
  public var notifyShortLives = 5
  /// The wait before a guard or a daemon that flaps is started for the second time; it doubles from then on.
  public var backoffFirst = Interval.milliseconds(50)
  /// The longest of these waits.
  public var backoffLast = Interval.seconds(30)
  /// From the start of a daemon until it serves its clients although its guard has not told of all that the
  /// daemon before it had.
  public var restoring = Interval.seconds(5)
  /// From a message that the link between lulld and lull-guard could not take, though it has room, to the
  /// next try.
  public var linkRetry = Interval.milliseconds(50)
  /// From the start of a guard until it is ended for not having said that it watches.
  public var guardBeginning = Interval.seconds(5)
  /// From the start of a guard in the background until its daemon must serve, or have said why it does not.
  public var daemonStarting = Interval.seconds(5)
  /// The time for which a process that thaws an earlier daemon's leftovers may hold the lock.
  public var leftoverTime = Interval.seconds(2)
  /// The time for which a daemon and a guard that were killed may still seem to listen.
  public var killedListening = Interval.milliseconds(200)
  /// The time that a service manager may take for everything that it is to keep.
  public var serviceManagerTime = Interval.seconds(3)
  /// The time in which the new lull-guard of an upgrade must say that it watches, and the old one must leave.
  public var guardChange = Interval.seconds(5)
  /// The time for which an upgrade waits for a command that is being started.
  public var upgradePatience = Interval.seconds(2)
  /// The time in which a daemon that was told to end must end, before it is killed.
  public var daemonEnding = Interval.seconds(2)
  /// The time that the kernel may take to end programs that were killed, while a daemon that ends waits.
  public var killingTime = Interval.seconds(2)
  /// The time for which a daemon that ends waits for programs that are being started to get what is theirs.
  public var startingTime = Interval.seconds(5)
  /// From the end of the link to a daemon until a daemon that lives is taken to have another guard.
  public var daemonYield = Interval.seconds(1)
  /// The time for which something may wait for a daemon before its guard checks whether the daemon is
  /// stopped.
  public var daemonCheck = Interval.seconds(1)
  /// The deaths that a program may cause in the daemon before the program is left running.
  public var maximumDeaths = 3
  /// The life from which on the death of a daemon is not blamed on a program that it took back.
  public var provingTime = Interval.seconds(10)
  /// The time without news after which the network counts as settled.
  public var networkQuiet = Interval.milliseconds(500)
  /// The longest time for which changes of the network are put together.
  public var networkWindow = Interval.seconds(2)
  /// The shortest sleep of the machine that may have cost connections.
  public var shortestSuspend = Interval.seconds(1)
  /// The delay after the timer from which a late turn is no longer explained by a busy machine.
  public var turnLateness = Interval.seconds(1)
  /// The longest time from the begin of a daemon's stop to the due moment of its timer; no limit of a message
  /// is longer.
  public var stopLead = Interval.seconds(5)
  /// The bytes that the ledger's file may have before it is written anew, short of four times what it needs.
  public var ledgerSize = 65_536
  /// The wait before the ledger's file is written anew, where a parent is writing the end of its program.
  public var ledgerRetry = Interval.milliseconds(50)
  /// The shortest time between two writes of a file of the state directory.
  public var filePace = Interval.seconds(1)
  /// The wait before the next try after a write to the state directory that failed.
  public var fileRetry = Interval.seconds(10)
  /// The time after which a write is looked at first: a disk that is full says so at once.
  public var fileFirstLook = Interval.milliseconds(20)
  /// The time for which the control socket takes nobody when not even one descriptor is left.
  public var acceptPause = Interval.milliseconds(500)

  /// The defaults.
  public init() {}

  /// The pause after so many thaws at once, counted from the first of them.
  public func pause(afterThaws count: Int) -> Interval {
    min(burstPause.scaled(by: Int64(count), over: 1), longestBurstPause)
  }
}
