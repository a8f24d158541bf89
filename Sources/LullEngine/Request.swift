/// The operator's requests about a program.
public enum Transition: String, CaseIterable, Sendable {
  case wake, suspend, foreground, background
  /// The program is asked to end, and killed when it has not ended in time.
  case quit
  /// The program is killed at once.
  case kill
}

extension Engine {
  /// A request to the engine, answered at once. A request for a program that is not managed any more gets
  /// `gone`.
  public enum Request: Sendable {
    // Programs come.
    /// A program asks to be managed. Answered `.registered`.
    case register(Registration)
    /// A managed command turns out to speak through the library, or an unmanaged client registers. Answered
    /// `.registered`.
    case adopt(AppID, Registration)

    // A program asks.
    /// Answered `.line`.
    case hold(AppID, LinePurpose, Offload)
    /// Answered `.done`.
    case release(AppID, LineID)
    /// nil clears. A program that resumes gives the last run of its handler, or the start of the wait for the
    /// first run. Answered `.done`.
    case keepAlive(AppID, Interval?, lastRun: Moment?, since: Moment? = nil)
    /// A wake of the sleeping program after a time; nil: none. The last request counts. Answered `.done`.
    case wakeIn(AppID, Interval?)
    /// Answered `.task`.
    case beginTask(AppID, name: String)
    /// Answered `.done`.
    case endTask(AppID, TaskID)
    /// Answered `.remaining`.
    case remaining(AppID)
    /// `replaces` is shown no longer; the new notification has its number. Answered `.notification`.
    case present(AppID, LocalNotification, replaces: NotificationID? = nil)
    /// Answered `.notification`.
    case schedule(AppID, LocalNotification, FireDate, repeats: Repetition?)
    /// nil cancels all notifications of the program. Those that are shown are taken back. Answered `.count`.
    case cancel(AppID, NotificationID?)
    /// Answered `.session`.
    case openSession(AppID, SessionTraits)
    /// Answered `.done`.
    case endSession(AppID, SessionID)

    // The operator, the user and the shell ask.
    /// A program may ask for its own foreground or background. Answered `.done`.
    case transition(AppID, Transition)
    /// A program is ended as if memory were short; it comes back when it is needed. Answered `.done`.
    case purge(AppID)
    /// The user chose an action of a notification. Answered `.done`.
    case answer(NotificationID, action: String)
    /// The same for a program that has ended, and that the shell starts again: it is told once it has been
    /// launched. Answered `.done`.
    case answerAtLaunch(NotificationID, action: String)
    /// The program of that name could not be started: what was chosen for it is not told, and its
    /// notifications are shown again. For a mistake in its file it is not tried again by itself. Answered
    /// `.done`.
    case launchFailed(program: String, isMistake: Bool = false)
    /// A program is installed from now on; one that is known already stays what it is. Answered `.done`.
    case install(String, InstalledBeginning, InstalledPast = InstalledPast())
    /// A program is installed no longer; one that runs goes on. Answered `.done`.
    case uninstall(String)
    /// The file of an installed program could be used for a start now, or not: a program that could not be
    /// started is not purged. Answered `.done`.
    case launchable(String, Bool)
    /// The user quits an installed program, which may not run. Its process, if any, is quit by `transition`.
    /// Answered `.done`.
    case forceQuit(String)
    /// A program that does not run, installed or not, is needed, or one that is on its way is to hear of a
    /// link. Answered `.done`: it is started.
    case launch(String, Launch)
    /// A notification of the engine before this one. Answered `.done`.
    case restore(NotificationRecord)
    /// The machine's own time zone has changed, by which repeats without a zone of their own go. Answered
    /// `.done`.
    case localZone(ZoneRules)
    /// Somebody opened a link that the program takes. For a command, which hears nothing, it is `gone`.
    /// Answered `.done`.
    case open(AppID, String)
    /// The shell found a descriptor in a command that is being frozen; the text is for the journal. Answered
    /// `.line`.
    case lineFound(AppID, LinePurpose, LineOrigin, String)
  }

  /// The answer to a request.
  public enum Answer: Equatable, Sendable {
    /// The request was carried out.
    case done
    /// The program is managed, and in this state.
    case registered(AppID, ApplicationState)
    /// The line is held under this number.
    case line(LineID)
    /// The task has this number. The time is the rest for tasks; nil is unlimited.
    case task(TaskID, remaining: Interval?)
    /// The rest of the time for tasks; nil is unlimited.
    case remaining(Interval?)
    case notification(NotificationID)
    case session(SessionID)
    /// The number of notifications that were cancelled.
    case count(Int)
    /// The request was not carried out.
    case refused(Refusal)
  }
}
