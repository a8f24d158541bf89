/// The answer to a request.
public enum Answer: Equatable, Sendable {
  case done
  case registered(AppID, ApplicationState)
  case line(LineID)
  /// The time that is left; nil is unlimited.
  case task(TaskID, remaining: Interval?)
  /// nil is unlimited.
  case remaining(Interval?)
  case notification(NotificationID)
  case session(SessionID)
  case count(Int)
  case refused(Refusal)
}

/// Why a request was refused.
public enum Refusal: Equatable, Sendable {
  case nameInUse(String)
  case noSuchLine(LineID), noSuchTask(TaskID), noSuchNotification(NotificationID), noSuchAction(String)
  case noSuchSession(SessionID)
  /// The time-out asked for and the shortest allowed.
  case keepAliveTooShort(Interval, minimum: Interval)
  case tooManyPrograms(Int), tooManyLines(Int), tooManyTasks(Int), tooManyNotifications(Int)
  case tooManySessions(Int)
  /// A program that is only heard through Lull is not managed.
  case isGuest
  case noBackgroundTime
  /// The repeat interval asked for and the shortest allowed.
  case repeatTooShort(Interval, minimum: Interval)
  /// The mode that was not declared.
  case wrongMode(Modes)
  /// Held awake by this lease, or on its way out.
  case busy(LeaseKind?)
  case gone
}

/// A wake of a sleeping program.
public struct Wake: Equatable, Sendable {
  /// Why.
  public let reason: WakeReason
  /// The line that was ready, if a line was.
  public let line: LineID?
  /// When the engine decided it.
  public let moment: Moment

  /// A wake for `reason` at `moment`.
  public init(reason: WakeReason, line: LineID?, moment: Moment) {
    self.reason = reason
    self.line = line
    self.moment = moment
  }
}

/// What the shell is to do. Effects are performed in their order; a thaw stands before everything that it
/// lets happen.
public enum Effect: Equatable, Sendable {
  case answer(RequestID, Answer)
  /// Freeze, confirm, hear what the program still said, observe; then `.observed` or `.freezeRefused`.
  case freeze(AppID, Ticket)
  /// Watch what the look found, then poll once more; then `.frozen`, `.freezeRefused` or `.ready`.
  case watch(AppID, Ticket, WatchPlan)
  /// Thaw first, then stop watching and close every duplicate. Also takes back an unfinished freeze.
  case thaw(AppID)
  /// Answer the ping that lies on the line and watch the line again; then `.pingAnswered`, or `.ready` with
  /// data when it cannot be answered.
  case answerPing(AppID, LineID)
  /// Send something from the UDP sockets of a sleeping command, so that address translators keep their
  /// entries.
  case keepPathsOpen(AppID)
  /// The command ended right after its trial freeze: later ones like it are to be registered as spared.
  case spare(AppID)
  /// Call the delegate; `launch` says why it was launched.
  case deliver(AppID, DelegateMessage, Ticket)
  /// Tell the program why it woke.
  case woke(AppID, Wake, Ticket)
  /// Run the keep-alive handler.
  case runKeepAlive(AppID, Ticket)
  /// Run the expiration handler of a task.
  case expire(AppID, TaskID)
  /// Send SIGTERM (a command), SIGKILL follows if it does not end.
  case terminate(AppID)
  /// SIGKILL every process of the program, stop watching and close every duplicate.
  case kill(AppID, KillReason)
  /// Show a notification to the user.
  case show(NotificationID, AppID, LocalNotification)
  /// Take a notification back.
  case withdraw(NotificationID)
  /// Hand a notification quietly to its program, which is active.
  case receive(AppID, NotificationID, LocalNotification)
  /// Tell the program which action the user chose.
  case action(AppID, NotificationID, String, Ticket)
  /// How a session is to be heard from now on.
  case order(AppID, SessionID, SoundOrder)
  /// Tell the program that another one is heard instead of a session, or no longer.
  case interruption(AppID, SessionID, Interruption)
  /// Tell the program which device the sound goes to now.
  case route(AppID)
  /// The program is not managed any more; its id will not be used again.
  case forget(AppID)
  /// For the log.
  case note(AppID?, Note)
}

/// One entry of the engine's journal.
public enum Note: Equatable, Sendable {
  case registered(name: String)
  case state(ApplicationState)
  case frozen
  case freezeRefused(FreezeRefusal, Detail = .none)
  /// The first freeze of a command, taken back at once to see whether the command bears it.
  case trialFrozen
  case trialFailed
  /// A freeze was taken back before it was complete.
  case freezeTakenBack(WakeReason)
  case woke(WakeReason, LineID?)
  case wakeDelayed(LineID, Interval)
  case leaseEnded(LeaseKind, overrun: Bool)
  case lineHeld(LineID), lineReleased(LineID), lineLost(LineID)
  case pingAnswered(LineID)
  /// A peer ended a connection while a timer of the program had been overdue for so long; the floor is this
  /// now.
  case timerOverdue(Interval, floor: Interval?)
  case keepAliveSet(Interval?), keepAliveRan
  case taskBegan(TaskID), taskEnded(TaskID), taskExpired(TaskID)
  case notificationShown(NotificationID), notificationScheduled(NotificationID)
  case notificationAnswered(NotificationID, String)
  case sessionOpened(SessionID), sessionEnded(SessionID), soundBegan(SessionID), soundEnded(SessionID)
  case interrupted(SessionID, Interruption)
  /// More wakes than the budget in its period.
  case overBudget(wakes: Int)
  case killed(KillReason)
  /// The rules for the program did not come to an end; they go on in a second.
  case gaveUp
  case exited(ExitStatus)
  case left
}
