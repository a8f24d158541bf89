/// The declaration of a program at its registration.
public struct Registration: Equatable, Sendable {
  /// Its name, unique among the managed programs.
  public var name: String
  /// How it lives.
  public var settings: ProgramSettings
  /// The target of its launch.
  public var launch: LaunchTarget = .foreground
  /// True for a program that speaks through the library; false for a command, which knows nothing of Lull.
  public var speaks = true
  /// The run time of its finite-length tasks.
  public var profile = Profile.ios4
  /// The state of a program that was registered before the supervisor restarted. The program goes on in that
  /// state and gets no launch messages.
  public var resumes: ApplicationState?
  /// The reason of the launch of a command that ran under a supervisor before this one, and then under none.
  public var returnsFor: LaunchReason?
  /// The link for which a command that begins to speak was launched: the command hears of it first.
  public var link: String?
  /// The last run of the keep-alive and its start, for a command that was registered before a restart.
  public var keepAliveLastRun: Moment?, keepAliveSince: Moment?
  /// The last fetch, for such a command.
  public var fetchedAt: Moment?
  /// The reason for which such a command was asked to end, or was killed: it is ending already.
  public var ending: KillReason?
  /// The last moment at which such a command was sent a signal that asks for its end.
  public var askedToEnd: Moment?
  /// Set for a command that ended when it was frozen before: it is never frozen again.
  public var isFreezeExempt = false
  /// Set for an unmanaged client, which is always in the foreground.
  public var isUnmanaged = false
  /// Set for a command that others started, and whose end is theirs.
  public var isAdopted = false

  /// A program called `name` that lives by `settings`.
  public init(name: String, _ settings: ProgramSettings = .init()) {
    (self.name, self.settings) = (name, settings)
  }

  /// A program called `name` that declares `modes`.
  public init(name: String, modes: Modes) { self.init(name: name, .init { $0.modes = modes }) }

  /// True for a command with a mode that lets it sleep. Such a command says no `done`, so it is put to sleep
  /// whenever it is proved idle.
  public var sleepsByItself: Bool {
    !speaks && !isFreezeExempt && !settings.modes.isEmpty
  }

  /// A program that resumes stays where it was, wherever it was launched.
  var target: LaunchTarget {
    switch resumes {
    case nil: launch
    case .notRunning, .inactive, .active: .foreground
    case .background, .suspended: .background
    }
  }
}

extension Registration {
  func bounded(by policy: Policy) -> Registration {
    var bounded = self
    bounded.settings.batchWakes = settings.batchWakes?.clamped(to: .zero...policy.longest)
    bounded.settings.silence = settings.silence?.clamped(to: .zero...policy.silenceMaximum)
    bounded.settings.linger = settings.linger?.clamped(to: .zero...policy.lingerMaximum)
    bounded.settings.udpKeepAlive = settings.udpKeepAlive?.clamped(to: policy.pathsMinimum...policy.longest)
    bounded.settings.keepAlive = settings.keepAlive.map { min($0, policy.longest) }
    bounded.settings.fetch = settings.fetch?.clamped(to: policy.fetchMinimum...policy.longest)
    if case .floor(let floor) = settings.timers {
      bounded.settings.timers = .floor(floor.clamped(to: policy.timerFloorMinimum...policy.longest))
    }
    return bounded
  }
}

/// The readiness of a line of a sleeping program.
public enum LineReadiness: CaseIterable, Sendable {
  case data
  /// The peer closed (FIN).
  case closed
  /// The connection failed (RST, an ICMP error).
  case error
  case accept
  /// A connection was made, or takes bytes again.
  case writable
  /// The queue holds exactly one message that an offload rule of the line covers.
  case ping
  /// The queue of a listening socket holds probes alone, which rules of the program cover.
  case probe
}

/// The origin of a command's connection.
public enum LineOrigin: Sendable {
  /// The command connected: when the connection is lost, the command will want to connect again.
  case opened
  case other
}

/// An event of the engine. A shell (the daemon, the simulator, the embedded library) makes events from what
/// the kernel and the programs tell it.
public enum Event: Sendable {
  // Programs go.
  /// The program says goodbye or its connection to the daemon closed, while it lives.
  case leave(AppID)
  /// An adopted command is let go: it runs on.
  case letGo(AppID)
  /// Every process of the program ended.
  case exited(AppID, ExitStatus)

  // A program speaks.
  /// The delegate message with this ticket returned.
  case did(AppID, Ticket)
  /// Everything up to this ticket is handled.
  case done(AppID, Ticket)
  /// The program takes its `done` with this ticket back: it has seen something itself since.
  case handling(AppID, Ticket)
  /// The fetch or the push with this ticket is over.
  case fetched(AppID, Ticket, BackgroundFetchResult)

  // The kernel answers.
  /// The program was looked at for the freeze with this ticket. The shell freezes it next, unless the engine
  /// has taken the freeze back.
  case looked(AppID, Ticket, Look)
  /// The freeze with this ticket is complete, with this observation. `.watch` or the thaw follows.
  case observed(AppID, Ticket, Observation)
  /// All sources of `.watch` are watched.
  case frozen(AppID, Ticket)
  /// The freeze with this ticket did not come about; the shell waits for the engine's thaw. Another try
  /// before `retryAfter` is in vain.
  case freezeRefused(AppID, Ticket, FreezeRefusal, retryAfter: Interval? = nil, Detail = .none)
  /// Somebody sends the program a signal that asks for its end.
  case ending(AppID)
  /// Somebody sends the program any other signal.
  case signalled(AppID)
  /// Somebody else has thawed a program that is being frozen or sleeps: the program runs.
  case unfrozen(AppID)
  /// A process of the program, but not its last one, ended.
  case childEnded(AppID)
  /// The way of a program's connections has changed, or the machine was asleep (`.network`, `.resumed`): what
  /// is connected may be connected no more.
  case reconnect(AppID, WakeReason)
  /// A line of a program that is being frozen or sleeps is ready.
  case ready(AppID, LineID, LineReadiness)
  /// The ping of `.answerPing`, or one of its probes, has been answered. A ping that could not be answered is
  /// `.ready` as data.
  case pingAnswered(AppID, LineID)
  /// The descriptor of a line turned out to be closed.
  case lineLost(AppID, LineID)
  case compacted(AppID, Ticket, CompactionResult)
  /// Another program waits for a lock on a file that this sleeper holds.
  case lockAwaited(AppID)
  /// A signal waits that this sleeper handles.
  case signalDue(AppID)
  /// A line is no longer watched by itself, and nothing has happened to it.
  case lineForgotten(AppID, LineID)

  // Lines outlive their programs.
  /// A program has ended in this way, and its lines are kept. The shell also tells of an end that the engine
  /// before this one saw.
  case linesWait(String, after: KeptEnding)
  /// Something has come on a line that is kept for the program.
  case linesReady(String)
  /// The program goes on with the lines that were kept for it, or none are kept any more.
  case linesTaken(String)

  // lull-audio reports.
  case sound(AppID, SessionID, SessionReport)
  /// A program is sounding or quiet. lull-audio tells it again only when that has changed.
  case audibility(AppID, AudioScope, AudibilityReport)
  /// The route changed, or there is no device any more.
  case routeChanged

  // Time.
  /// The deadline has come; a tick before the deadline is harmless. Before the tick the shell has told all
  /// that arrived by then.
  case tick
  /// A limit of the program has passed (`Engine.overdue`), and a debugger traces it.
  case traced(AppID)
  /// For this time no program could run, or the shell took no message of any: the machine was suspended, or
  /// the shell stopped. Every limit of a program's run time moves by it.
  case stoodStill(Interval)
  /// Wall clock minus the engine's clock, in nanoseconds; at the start and whenever somebody set the clock.
  case wallClock(offset: Int64)

  // The world around the programs.
  /// Something changed around the programs: each program on the library is told once, when it is awake.
  case surrounding(Surrounding)
  /// A device of the kernel came or went, which wakes the programs of the mode `external-accessory` that want
  /// it; nil is one that is not known, since the shell has lost what the kernel told.
  case accessory(Accessory?)
  /// Memory is short. The shell tells it again and again while it stays so.
  case pressure(MemoryPressure)
  /// The sizes that `.measure` asked for.
  case sizes(Ticket, [MemorySize])
}
