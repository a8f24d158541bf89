/// What a program declares when it registers.
public struct Registration: Equatable, Sendable {
  /// Its name, unique among the managed programs.
  public var name: String
  /// Its background modes.
  public var modes: Modes
  /// Where its launch leads.
  public var launch: LaunchTarget = .foreground
  /// True for a program that speaks through the library; false for a command that knows nothing of Lull.
  public var speaks = true
  /// `UIApplicationExitsOnSuspend`: terminated where others are suspended.
  public var exitsOnSuspend = false
  /// How long its finite-length tasks may run.
  public var profile = Profile.ios4
  /// Over the wake budget, at most one wake in this time; nil (the default) never delays a wake.
  public var batchWakes: Interval?
  /// Set by a program that was registered before the supervisor restarted: it goes on in that
  /// state and gets no launch messages.
  public var resumes: ApplicationState?
  /// The time-out of a command's keep-alive, which the command cannot set itself.
  public var keepAlive: Interval?
  /// When that keep-alive last ran, and since when it runs, for a command that was registered before a
  /// restart.
  public var keepAliveLastRun: Moment?, keepAliveSince: Moment?
  /// How long a command stays awake after it was started, and after it sent something that is not answered
  /// yet; nil takes the policy's.
  public var linger: Interval?
  /// How often the paths of a sleeping command's UDP sockets are kept open; nil (the default) never.
  public var udpKeepAlive: Interval?
  /// How often a sleeping command is woken for its own timers.
  public var timers = TimerRule.automatic
  /// How long it stays awake after the last that was heard of it, by the wish of the machine's owner; nil takes the
  /// policy's.
  public var silence: Interval?
  /// Set for a command that ended when it was frozen before: it is never frozen again.
  public var isSpared = false
  /// Set for a program that is only heard through Lull: it is in the foreground for good.
  public var isGuest = false

  /// A program called `name` that declares `modes`.
  public init(name: String, modes: Modes = []) {
    self.name = name
    self.modes = modes
  }

  /// True for a command with a mode that lets it sleep: nobody says when it is done, so it is put to sleep
  /// whenever it is proved idle.
  public var sleepsByItself: Bool {
    !speaks && !isSpared && !modes.isEmpty
  }

  /// Where the user wants it: a program that resumes stays where it was, wherever it was launched.
  var target: LaunchTarget {
    switch resumes {
    case nil: launch
    case .notRunning, .inactive, .active: .foreground
    case .background, .suspended: .background
    }
  }
}

/// What can become ready on a line.
public enum LineKind: String, CaseIterable, Sendable {
  /// A connection of a VoIP service.
  case voip
  /// An accessory, or any other descriptor.
  case accessory
}

/// What the daemon may answer for a sleeping program (declared by it, message boundary proved).
public struct Offload: OptionSet, Hashable, Sendable {
  /// The bits.
  public let rawValue: UInt8
  /// The rules with these bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  /// `ping` is answered `pong`.
  public static let line = Offload(rawValue: 1)
  /// The double CRLF of RFC 5626, section 3.5.1, is answered by a single one.
  public static let crlf = Offload(rawValue: 2)
  /// NAT keep-alive datagrams are swallowed.
  public static let udpKeepalive = Offload(rawValue: 4)
  /// STUN binding requests (RFC 8489) are answered.
  public static let stun = Offload(rawValue: 8)

  /// Every rule with the protocol's word for it.
  public static let names: [(rule: Offload, name: String)] = [
    (.line, "line"), (.crlf, "crlf"), (.udpKeepalive, "udp-keepalive"), (.stun, "stun"),
  ]
}

/// What the shell saw on a line of a sleeping program.
public enum Readiness: CaseIterable, Sendable {
  /// Bytes can be read.
  case data
  /// The peer closed (FIN).
  case closed
  /// The connection failed (RST, an ICMP error).
  case error
  /// A connection can be accepted.
  case accept
  /// A connection was made, or takes bytes again.
  case writable
  /// The queue holds exactly one message that an offload rule of the line covers.
  case ping
}

/// Why the shell could not put a program to sleep, or took the freeze back by itself.
public enum FreezeRefusal: String, CaseIterable, Sendable {
  /// The kernel did not report `frozen 1` in time.
  case timeout
  /// The program was in the middle of something, or sent a request.
  case notIdle = "not-idle"
  /// A line's descriptor could not be taken.
  case noDescriptor = "no-descriptor"
  /// The kernel refused the freeze.
  case failed
  /// Something that arrived is not read yet.
  case unread
  /// The program sent something of its own accord, and its peer may answer any moment.
  case unanswered
  /// A thread wakes more than once a second, and the lines have not been quiet for long enough.
  case ticking
  /// A stream of a sound server, or a sound device, runs.
  case sound
  /// More descriptors than a program may have watched.
  case tooManyLines = "too-many-lines"
  /// More processes than are looked at.
  case tooManyProcesses = "too-many-processes"
  /// Nothing could wake the program: it has no descriptor that could besides its standard streams.
  case noLine = "no-line"
  /// No socket has a port that is to wake the program.
  case noPort = "no-port"
  /// Ptrace rights over one of its processes are missing.
  case noRights = "no-rights"
  /// A thread waits for something that nobody can watch.
  case unwatchable
  /// It has asked the supervisor something, and the answer is on its way.
  case asking
  /// It has sent something over a new UDP socket, and would send it again at the end of its wait.
  case query
}

/// How often a sleeping command is woken for its own timers, which stand still while it sleeps.
public enum TimerRule: Equatable, Sendable {
  /// As the policy says; more often once a peer has ended a connection while a timer was overdue.
  case automatic
  /// At most once in so long.
  case floor(Interval)
  /// Not at all.
  case never
}

/// How a connection of a command came about.
public enum LineOrigin: Sendable {
  /// The command connected: when the connection is lost, it will want to connect again.
  case opened
  /// Anything else.
  case other
}

/// A local notification (`UILocalNotification`).
public struct LocalNotification: Equatable, Sendable {
  /// The text.
  public var body: String
  /// The heading; nil shows the program's name.
  public var title: String?
  /// The title of the action button; nil has none.
  public var action: String?
  /// A notification with this text, title and action button.
  public init(body: String, title: String? = nil, action: String? = nil) {
    self.body = body
    self.title = title
    self.action = action
  }
}

/// When a scheduled notification is due.
public enum FireDate: Equatable, Sendable {
  /// Nanoseconds of the wall clock since 1970; follows the wall clock when it is set.
  case wall(Int64)
  /// So long from now, whatever the wall clock does.
  case after(Interval)
}

/// What the operator asks of a program.
public enum Command: String, CaseIterable, Sendable {
  case wake, suspend, foreground, background, quit
}

/// What happens to the engine. A shell (the daemon, the simulator, the embedded library) makes
/// these from what the kernel and the programs tell it.
public enum Event: Sendable {
  // Programs come and go.
  /// A program asks to be managed. Answered `.registered`.
  case register(Registration, RequestID)
  /// A command that is managed turns out to speak through the library, or a guest registers. Answered
  /// `.registered`.
  case adopt(AppID, Registration, RequestID)
  /// The program says goodbye or its connection to the daemon closed, while it lives.
  case leave(AppID)
  /// Every process of the program ended.
  case exited(AppID, ExitStatus)

  // A program speaks.
  /// The delegate message with this ticket returned.
  case did(AppID, Ticket)
  /// Everything up to this ticket is handled.
  case done(AppID, Ticket)
  /// Answered `.line`.
  case hold(AppID, LineKind, Offload, RequestID)
  /// Answered `.done`.
  case release(AppID, LineID, RequestID)
  /// nil clears. A program that resumes tells when its handler last ran, or since when it waits for its first
  /// run. Answered `.done`.
  case keepAlive(AppID, Interval?, lastRun: Moment?, since: Moment? = nil, RequestID)
  /// Answered `.task`.
  case beginTask(AppID, name: String, RequestID)
  /// Answered `.done`.
  case endTask(AppID, TaskID, RequestID)
  /// Answered `.remaining`.
  case remaining(AppID, RequestID)
  /// Answered `.notification`.
  case present(AppID, LocalNotification, RequestID)
  /// Answered `.notification`.
  case schedule(AppID, LocalNotification, FireDate, repeats: Interval?, RequestID)
  /// nil cancels all that are scheduled. Answered `.count`.
  case cancel(AppID, NotificationID?, RequestID)
  /// Answered `.session`.
  case openSession(AppID, SoundSession, RequestID)
  /// Answered `.done`.
  case endSession(AppID, SessionID, RequestID)
  /// A program may ask for its own foreground or background. Answered `.done`.
  case command(AppID, Command, RequestID)
  /// The user chose an action of a notification. Answered `.done`.
  case answer(NotificationID, action: String, RequestID)

  // The kernel answers.
  /// The freeze with this ticket is complete, and this was seen. Followed by `.watch`, or by the thaw.
  case observed(AppID, Ticket, Observation)
  /// Everything that `.watch` asked for is watched.
  case frozen(AppID, Ticket)
  /// The freeze with this ticket did not come about; the shell waits for the engine's thaw.
  /// No other try is worth while before `retryAfter`.
  case freezeRefused(AppID, Ticket, FreezeRefusal, retryAfter: Interval? = nil, Detail = .none)
  /// A descriptor was found in a command that is being frozen. Answered `.line`.
  case lineFound(AppID, LineKind, LineOrigin, RequestID)
  /// Somebody sends the program a signal that asks it to end.
  case ending(AppID)
  /// Somebody sends the program another signal.
  case signalled(AppID)
  /// Somebody else has thawed a program that is being frozen or sleeps: it runs.
  case unfrozen(AppID)
  /// A process of the program, but not its last one, ended.
  case childEnded(AppID)
  /// A line of a program that is being frozen or sleeps is ready.
  case ready(AppID, LineID, Readiness)
  /// The ping that `.answerPing` was about has been answered. What could not be answered is `.ready` as data.
  case pingAnswered(AppID, LineID)
  /// A line's descriptor turned out to be closed.
  case lineLost(AppID, LineID)
  /// A line is not looked at by itself any more, and nothing has happened to it.
  case lineForgotten(AppID, LineID)

  // Whoever plays the sound speaks.
  /// How a session stands.
  case sound(AppID, SessionID, SoundReport)
  /// Whether a program is heard. Told again only when it has changed.
  case heard(AppID, SoundScope, HeardReport)
  /// The sound goes to another device, or to none.
  case routeChanged

  // Time.
  /// The deadline has come; also harmless when it has not. What has arrived by then was told before.
  case tick
  /// For so long no program could run, or none was heard: the machine was suspended, or the shell stopped.
  /// Every limit of a program's run time moves by so much.
  case stoodStill(Interval)
  /// Wall clock minus the engine's clock, in nanoseconds; at the start and whenever somebody set the clock.
  case wallClock(offset: Int64)
}
