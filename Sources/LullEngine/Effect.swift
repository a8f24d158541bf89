/// A wake of a sleeping program.
public struct Wake: Equatable, Sendable {
  /// The reason.
  public let reason: WakeReason
  /// The line that was ready, if any.
  public let line: LineID?
  /// The moment of the engine's decision.
  public let moment: Moment

  /// A wake for `reason` at `moment`.
  public init(reason: WakeReason, line: LineID?, moment: Moment) {
    self.reason = reason
    self.line = line
    self.moment = moment
  }
}

/// An order to the shell. Effects are performed in their order; a thaw stands before everything that it lets
/// happen.
public enum Effect: Equatable, Sendable {
  /// Look (`.looked`), freeze, confirm, take what the program still said, observe; then `.observed` or
  /// `.freezeRefused`.
  case freeze(AppID, Ticket)
  /// Watch the sources of the observation, then poll once more; then `.frozen`, `.freezeRefused` or `.ready`.
  case watch(AppID, Ticket, WatchPlan)
  /// Thaw first, then stop watching and close every duplicate. Also takes back an unfinished freeze.
  case thaw(AppID)
  /// Answer the ping that lies on the line and watch the line again; then `.pingAnswered`, or `.ready` with
  /// data when the ping cannot be answered. Of a listening socket: take the probes that were seen and answer
  /// each; then `.pingAnswered`, or `.ready` as accept.
  case answerPing(AppID, LineID)
  /// Send something from the UDP sockets of a sleeping command, so that address translators keep their
  /// entries.
  case keepPathsOpen(AppID)
  /// Give the memory of a sleeper back, until it is thawed; then `.compacted`.
  case compact(AppID, Ticket)
  /// Look whether somebody waits for a lock on a file that the sleeper holds; then `.lockAwaited`, or
  /// nothing.
  case checkLocks(AppID)
  /// Look whether a signal waits that the sleeper handles; then `.signalDue`, or nothing.
  case checkSignals(AppID)
  /// Give the processes of the program this share of the processor and of the disks from now on.
  case weigh(AppID, ProgramWeight)
  /// The command ended right after its trial freeze: later commands like it are registered as freeze-exempt.
  case exempt(AppID)
  /// Call the delegate; `launch` says why the program was launched.
  case deliver(AppID, DelegateMessage, Ticket)
  case woke(AppID, Wake, Ticket)
  case runKeepAlive(AppID, Ticket)
  /// Have the program look for new content; then `.fetched`.
  case runFetch(AppID, Ticket)
  case expire(AppID, TaskID)
  /// Send SIGTERM to every process of a command, or end it without a word where `.keepLines` has kept lines
  /// of it; `.kill` follows if the command does not end.
  case terminate(AppID)
  /// SIGKILL every process of the program, stop watching and close every duplicate. A program that is purged
  /// keeps its lines: they launch it again.
  case kill(AppID, KillReason)
  /// Show a notification of the program of this name to the user, in the place of one with the same number.
  case show(NotificationID, program: String, LocalNotification)
  case withdraw(NotificationID)
  /// Write a notification down for the next engine, in the place of one with the same number that is due, or
  /// shown, like this one.
  case record(NotificationRecord)
  /// Strike a notification out for the next engine.
  case drop(NotificationID, isScheduled: Bool)
  /// Write down whether a program may record.
  case recordPermission(RecordingEntry)
  /// Hand a notification quietly to its program, which is active.
  case receive(AppID, NotificationID, LocalNotification)
  case action(AppID, NotificationID, String, Ticket)
  case open(AppID, String, Ticket)
  /// Hand a push to its program; then `.fetched`.
  case push(AppID, RemoteNotification, Ticket)
  case order(AppID, SessionID, AudioOrder)
  /// Tell the program that another program is heard instead of a session, or no longer.
  case interruption(AppID, SessionID, Interruption)
  case route(AppID)
  /// Tell the program what changed around it since it was told last.
  case changed(AppID, SurroundingNews)
  /// Start the program of this name, which is to hear this; it registers, or `launchFailed` follows.
  case launch(String, Launch)
  /// The start of this program has taken too long, and counts as failed: end what starts it.
  case giveUpLaunch(String)
  /// Write down what the next engine is to know of the installed programs (`InstalledView.memory`).
  case recordInstalled
  /// Tell the memory of these programs; then `.sizes`.
  case measure([AppID], Ticket)
  /// Keep the lines of the program, which is about to be ended, for its next start, as far as they can be
  /// kept.
  case keepLines(AppID)
  /// Send the command the signal by which it wants to be warned: memory is short.
  case warnMemory(AppID)
  /// Report no pressure of this level, nor of a lower one, for this time: nothing can be done about it.
  case restPressure(MemoryPressure, Interval)
  /// The program is not managed any more. Its id is never used again.
  case forget(AppID)
  case note(AppID?, Note)
}

/// One entry of the engine's journal.
public enum Note: Equatable, Sendable {
  case registered(name: String)
  case state(ApplicationState)
  case frozen
  case freezeRefused(FreezeRefusal, Detail = .none)
  /// The first freeze of a command, taken back at once as a trial.
  case trialFrozen
  case trialFailed
  case freezeTakenBack(WakeReason)
  case woke(WakeReason, LineID?)
  case wakeDelayed(LineID, Interval)
  case leaseEnded(LeaseKind, overrun: Bool)
  /// The text describes a line that was found in a command.
  case lineHeld(LineID, String?)
  case lineReleased(LineID), lineLost(LineID)
  case pingAnswered(LineID)
  /// A peer ended a connection while a timer of the program was overdue, by the first interval; the floor is
  /// its new value, if it was lowered.
  case timerOverdue(Interval, floor: Interval?)
  case keepAliveSet(Interval?), keepAliveRan
  case fetchSet(Interval?), fetchRan, pushTold
  /// A fetch or a push is over. Without a result: a command sleeps again, or the time is over.
  case errandEnded(LeaseKind, BackgroundFetchResult?, after: Interval)
  case taskBegan(TaskID), taskEnded(TaskID), taskExpired(TaskID)
  case notificationShown(NotificationID), notificationScheduled(NotificationID)
  case notificationAnswered(NotificationID, String)
  case sessionOpened(SessionID), sessionEnded(SessionID), soundBegan(SessionID), soundEnded(SessionID)
  case interrupted(SessionID, Interruption)
  case recordingPermitted(RecordingPermission)
  /// The program's resident memory before and after some of it was given back, in bytes.
  case compacted(before: UInt64, after: UInt64)
  case overBudget(wakes: Int)
  case killed(KillReason)
  /// A limit has passed that does not kill the program while it is traced.
  case limitStands
  /// `pressureStays`: nothing is left at this level that may be purged.
  case pressure(MemoryPressure), pressureStays(MemoryPressure), pressureRelieved
  /// These have come or gone since they were told last; none where the kernel's word was lost.
  case accessories([Accessory])
  /// The program held so many bytes, where that is known; `isAsked`: it runs, and is asked to end first.
  case purged(held: Int64?, isAsked: Bool)
  /// The rules for the program did not come to an end, and go on in a second.
  case gaveUp
  case exited(ExitStatus)
  /// The keep-alive of an installed program that does not run is due.
  case keepAliveDue(name: String)
  /// An installed program that does not run is started for a fetch.
  case fetchDue(name: String)
  /// An installed program crashed, or could not be started, so many times in a row.
  case startsAgain(name: String, crashes: Int, after: Interval)
  /// A program that was started for links never hears of so many of them.
  case linksLost(name: String, count: Int)
  case left
}
