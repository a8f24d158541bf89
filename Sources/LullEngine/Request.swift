/// The operator's requests about a program.
public enum Transition: String, CaseIterable, Sendable {
  case wake, suspend, foreground, background
  /// The program is asked to end, and killed when it has not ended in time.
  case quit
  case kill
}

extension Engine {
  /// A request to the engine, answered at once: by `.done` where nothing else is said, and by `gone` for a
  /// program that is not managed any more.
  public enum Request: Sendable {
    // Programs come.
    /// Answered `.registered`.
    case register(Registration)
    /// A managed command turns out to speak through the library, or an unmanaged client registers. Answered
    /// `.registered`.
    case adopt(AppID, Registration)

    // A program asks.
    /// Answered `.line`.
    case hold(AppID, LinePurpose, Offload)
    case release(AppID, LineID)
    /// Sets the time-out; nil clears it. A program that resumes gives the last run of its handler, or the
    /// start of the wait for the first run.
    case keepAlive(AppID, Interval?, lastRun: Moment?, since: Moment? = nil)
    /// Sets the shortest time between two fetches; nil asks for none any more. A program that resumes gives
    /// the last one.
    case fetch(AppID, Interval?, since: Moment?)
    /// Wakes the sleeping program after a time; nil takes the last request back.
    case wakeIn(AppID, Interval?)
    /// Answered `.task`.
    case beginTask(AppID, name: String)
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
    case endSession(AppID, SessionID)

    // The operator, the user and the shell ask.
    /// A program may ask for its own foreground or background.
    case transition(AppID, Transition)
    /// The user says whether the program of this name may record, now and from now on.
    case permitRecording(RecordingEntry)
    /// A program is ended as if memory were short; it comes back when it is needed.
    case purge(AppID)
    /// The user chose an action of a notification.
    case answer(NotificationID, action: String)
    /// The user chose an action for a program that has ended, and that the shell starts again. The program is
    /// told once it has been launched.
    case answerAtLaunch(NotificationID, action: String)
    /// The program of that name could not be started: the user's choices for it are dropped, and its
    /// notifications are shown again. After an error in its file it is not tried again by itself.
    case launchFailed(program: String, isMisconfigured: Bool = false)
    /// A program is installed from now on; one that is installed already keeps its state.
    case admit(String, InstalledBeginning, InstalledPast = InstalledPast())
    /// A program is installed no longer; one that runs goes on.
    case uninstall(String)
    /// Whether the file of an installed program could be used for a start now: a program that could not be
    /// started is not purged.
    case launchable(String, Bool)
    /// The user quits an installed program, whether it runs or not. Its process, if any, is quit by
    /// `transition`.
    case forceQuit(String)
    /// A program that does not run, installed or not, is needed, or one that is on its way is to hear of a
    /// link. The answer `.done` means that it is started.
    case launch(String, Launch)
    /// Takes a notification of the engine before this one.
    case restore(NotificationRecord)
    /// The machine's own time zone has changed, by which repeats without a zone of their own go.
    case localZone(ZoneRules)
    /// Somebody opened a link that the program takes. A command, which hears nothing, counts as gone.
    case open(AppID, String)
    /// Somebody pushed something to the program; a command is only woken.
    case push(AppID, RemoteNotification)
    /// The title of a push is shown, in the name of this program.
    case announce(String, program: String)
    /// The shell found a descriptor in a command that is being frozen; the text is for the journal. Answered
    /// `.line`.
    case lineFound(AppID, LinePurpose, LineOrigin, String)
  }

  /// The answer to a request.
  public enum Answer: Equatable, Sendable {
    case done
    case registered(AppID, ApplicationState)
    case line(LineID)
    /// The task has this number. The time is the rest for tasks; nil is unlimited.
    case task(TaskID, remaining: Interval?)
    /// The time after which the program may be suspended, and the rest of the time for tasks; nil is
    /// unlimited, as in the foreground.
    case remaining(Interval?, forTasks: Interval?)
    case notification(NotificationID)
    case session(SessionID)
    /// The number of notifications that were cancelled.
    case count(Int)
    case refused(Refusal)
  }
}
