internal import LullChannel
internal import LullEngine
internal import LullSystem
internal import LullWire

/// A program that Lull puts to sleep and wakes.
///
/// One application per process. It belongs to one thread: everything is called on it, and every handler runs
/// on it, inside ``run()`` or ``dispatch()``. Other threads reach it through its ``mailbox``.
public final class Application {
  /// Not retained.
  public weak var delegate: (any ApplicationDelegate)?
  /// The way into the application from other threads.
  public let mailbox: Mailbox
  /// The name that the program is known by; a program that `lull run` started keeps the name that it got
  /// there.
  public var name: String { link.name }
  /// The modes that the program declared.
  public let modes: Modes
  /// The state: `inactive`, `active` or `background`; `suspended` only for an embedded application that
  /// sleeps.
  public internal(set) var applicationState = ApplicationState.notRunning
  /// The reason of the last wake, as ``ApplicationDelegate/applicationDidWake(_:reason:)`` told; nil before
  /// the first wake.
  public internal(set) var wakeReason: WakeReason?
  /// The reason why an embedded application was ended where the daemon would have killed the program; else
  /// nil.
  public internal(set) var killReason: KillReason?

  /// The desktop's token for the action of ``ApplicationDelegate/application(_:didChoose:for:)``, only while
  /// it is told: with it (`XDG_ACTIVATION_TOKEN`) a window may come to the front. Not every desktop has one.
  public internal(set) var activationToken: String?
  /// The user's session is locked; false where nobody tells.
  public internal(set) var isLocked = false
  /// False from the moment when the application was asked to close the files that the lock protects.
  public internal(set) var isProtectedDataAvailable = true
  /// The machine's power; its source is `unknown` where nobody tells, as in an embedded application.
  public internal(set) var power = Power()

  /// The live connections of the program's last life, which Lull has kept for this one: those that the
  /// program had when it was restarted with `lull restart --keep-lines`, when it was ended to save memory, or
  /// when it crashed and `keepsLines` was set.
  public internal(set) var restoredLines: [RestoredLine] = []
  /// The program was told that it ends and that its lines are kept: it does not take its leave of its peers.
  /// ``ApplicationDelegate/applicationWillTerminate(_:)`` follows.
  public internal(set) var areLinesKept = false

  let loop: EventLoop
  let clock: () -> Moment
  let wallClock: () -> Int64
  let launchTarget: LaunchTarget
  var link: any Link
  var phase = State.launching
  /// The delegate messages of the launch that are still to come.
  var launchMessages: ArraySlice<DelegateMessage>
  var isStopping = false
  var isDispatching = false
  var tickets = Tickets()
  var lostAt = Moment(nanoseconds: 0)
  var lines: [Line] = []
  var keepAlive: KeepAliveHandler?
  /// It stays when the handler is cleared.
  var lastKeepAlive: Moment?
  /// The shortest time between two fetches, and the last one, or the moment at which it was set.
  var fetches: (interval: Interval, since: Moment)?
  var tasks: [TaskEntry] = []
  var notifications = NotificationList()
  var timers = TimerList()
  /// The supervisor was asked to wake the program at this moment.
  var wakeTimer: Moment?
  var streams: [VoIPStream] = []
  /// Also those whose answer nobody waits for any more.
  var lookups: [UInt64: NameLookup] = [:]
  var observers: [WeakObserver] = []
  var sessions: [AudioSession] = []
  var deferred: [() -> Void] = []
  /// The transition that was asked for while the daemon was away.
  var wantedTarget: LaunchTarget?
  /// The ticket of a daemon that waits for the lines before it puts the program to sleep.
  var handover: Ticket?
  /// `ready` has been sent: the daemon cannot take the lines' descriptors by itself.
  var hasHandedOver = false
  /// Every read of every stream uses it.
  var buffer = ReceiveBuffer(capacity: 65_536)
  private var lastToken: UInt64 = 0

  enum State {
    case launching
    case launched
    case ended
  }

  /// Registers the program.
  ///
  /// The delegate messages of the launch come in ``run()`` or ``dispatch()``, which must begin within 5 s.
  ///
  /// - Parameters:
  ///   - name: 1 to 64 letters, digits, `.`, `_` or `-`, a letter or digit first; unique among the programs.
  ///   - modes: the program's work in the background; `voip` for streams, held lines and a keep-alive.
  ///   - launch: the state that the launch leads to.
  ///   - exitsOnSuspend: true for a program that is terminated where others are suspended.
  ///   - profile: the time for tasks: 600 s (`ios4`) or 180 s (`ios7`) per stay in the background.
  ///   - batchWakes: seconds by which bytes may be put off that come while the program is over its wake
  ///     budget, so that several are handled in one wake; nil: no bytes are put off.
  ///   - schemes: the schemes of the links that the program takes, in small letters, such as `sip`; at most
  ///     16. ``ApplicationDelegate/application(_:open:)`` gets the links.
  ///   - accessories: the devices that wake a program of the mode `externalAccessory` when they come or go;
  ///     empty: every serial line, and every device of USB, input or sound.
  ///   - allowsCompaction: false for a program whose memory stays where it is while it sleeps; it is paged
  ///     out otherwise after 10 s, where the machine has swap or zram.
  ///   - keepsLines: true when the lines are kept after a crash, for the next start (``restoredLines``). The
  ///     peer of a line then learns of its end when the line is released, and not from `close` alone.
  ///   - host: the program's supervisor.
  ///   - delegate: not retained.
  /// - Throws: `invalidName`, `nameInUse`, `daemonUnavailable`, `timedOut` or `refused`.
  public convenience init(
    name: String, modes: Modes = [], launch: LaunchTarget = .foreground, exitsOnSuspend: Bool = false,
    profile: Profile = .ios4, batchWakes: Double? = nil, schemes: [String] = [],
    accessories: [Accessory] = [], allowsCompaction: Bool = true, keepsLines: Bool = false,
    host: Host = .automatic,
    delegate: (any ApplicationDelegate)? = nil
  ) throws(LullError) {
    var registration = Registration(name: name, modes: modes)
    registration.launch = launch
    registration.settings.exitsOnSuspend = exitsOnSuspend
    registration.profile = profile
    registration.settings.schemes = schemes
    registration.settings.accessories = accessories
    registration.settings.staysInMemory = !allowsCompaction
    registration.settings.keepsLines = keepsLines
    registration.settings.batchWakes = batchWakes.map { Interval(clampingSeconds: $0) }
    try self.init(registration, host: host, setup: ApplicationSetup(), delegate: delegate)
    restore(RestoredLine.inherited(by: self))
  }

  /// A process that is only heard through Lull, an unmanaged client. It is never put to sleep, and ends when
  /// its daemon does.
  ///
  /// - Throws: `daemonUnavailable` or `refused`.
  package convenience init(unmanaged name: String) throws(LullError) {
    var registration = Registration(name: name)
    registration.isUnmanaged = true
    var setup = ApplicationSetup()
    // The race: the daemon that has started it ends meanwhile, and would be back.
    setup.startDaemon = nil
    try self.init(registration, host: .daemon, setup: setup, delegate: nil)
    (phase, applicationState, launchMessages) = (.launched, .active, [])
  }

  init(
    _ registration: Registration, host: Host, setup: ApplicationSetup, delegate: (any ApplicationDelegate)?
  ) throws(LullError) {
    guard ProgramName.isValid(registration.name) else { throw .invalidName(registration.name) }
    let sleeper = Sleeper()
    (link, loop) = try setup.link(for: registration, host: host, sleeper: sleeper)
    mailbox = Mailbox(loop.loopSignal)
    clock = setup.clock
    wallClock = setup.wallClock
    modes = registration.settings.modes
    launchTarget = link.launch.reason.isInBackground ? .background : registration.launch
    applicationState = launchTarget == .foreground ? .inactive : .background
    launchMessages = [
      .willFinishLaunching, .didFinishLaunching,
      launchTarget == .foreground ? .didBecomeActive : .didEnterBackground,
    ]
    self.delegate = delegate
    sleeper.application = self
    settle()
  }

  deinit {
    for stream in streams { stream.abandon() }
    for line in lines { line.forget(in: loop) }
    for session in sessions { session.forget() }
    mailbox.close()
  }

  /// The program supervises itself, because it was asked to or there is no daemon.
  public var isEmbedded: Bool { link is EmbeddedLink }

  /// The means by which the program is put to sleep, as its supervisor said at the registration.
  public var suspension: Suspension { link.suspension }

  /// True when a suspended machine is resumed for the program: for its keep-alive, and for the wakes that it
  /// asks for. Without the right to it (CAP_WAKE_ALARM) they wait until the machine runs.
  public var wakesMachine: Bool { link.wakesMachine || loop.reactor.wakesMachine }

  /// The changes of this file are told as `settings`: `lull/settings/NAME` in the configuration folder of the
  /// user, or below `/etc` for root. Any program may write it, and the application reads it itself.
  public var settingsPath: String { SettingsFolder.path() + "/" + name }

  /// The folder for what the program keeps from one run to the next, such as the screen that it showed, or
  /// what it had not sent yet. It is the program's alone, by its ``name``, and is made at its first use for
  /// its owner alone (0700): `lull/programs-state/NAME` in `$XDG_STATE_HOME`. A command of `lull run` finds
  /// its own in `LULL_STATE_DIRECTORY`.
  ///
  /// A program that is killed while it sleeps hears nothing before: what is to last is written when
  /// ``ApplicationDelegate/applicationDidEnterBackground(_:)`` is told, and read at the next launch.
  ///
  /// - Throws: `system` when the folder cannot be made, or others can write in it.
  public var stateDirectory: String {
    get throws(LullError) {
      do { return try ProgramStateFolder.ensure(of: name) } catch { throw LullError(error) }
    }
  }

  /// Ends Lull's supervision: the program is not put to sleep any more. Its streams and audio sessions are
  /// closed, its lines released, and no handler is called again.
  public func leave() {
    closeEverything()
    link.tell(.bye)
    end()
  }

  func end() {
    closeEverything()
    phase = .ended
    mailbox.close()
    applicationState = .notRunning
    isStopping = true
    settle()
  }

  private func closeEverything() {
    for stream in streams { stream.close() }
    for line in lines { line.release() }
    for session in sessions { session.close() }
    timers = TimerList()
    deferred.removeAll()
  }

  /// Nil while the daemon is away: the application declares everything anew once a daemon answers again.
  func askIfUp(_ request: Request, descriptor: Int32? = nil) throws(LullError) -> Engine.Answer? {
    do {
      return try link.ask(request, descriptor: descriptor)
    } catch {
      guard error == .connectionLost else { throw error }
      return nil
    }
  }

  func newToken() -> UInt64 {
    lastToken += 1
    return lastToken
  }
}

/// Tells the application that its handlers are suspended. It is a box, because the application does not exist
/// yet when the link is made.
final class Sleeper {
  weak var application: Application?
}
