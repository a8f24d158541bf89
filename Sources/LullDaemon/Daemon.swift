import LullEngine
public import LullSystem
import LullWire

/// The shell around the engine: one thread, one epoll loop. Readiness becomes events, effects become
/// system calls. It decides nothing that the engine could decide.
public final class Daemon {
  /// A step of a freeze that waits for the end of the turn: thaws, answers and notices go first, and a freeze
  /// hears what its program still says, which must not come between a request and its answer.
  enum FreezeStep {
    case begin(AppID, Ticket)
    case confirm(AppID, Ticket)

    var program: AppID {
      switch self {
      case .begin(let id, _), .confirm(let id, _): id
      }
    }
  }

  /// The end of a command that nobody has been told of.
  struct UnheardEnd {
    let name: String
    let pid: Int32
    let notice: Message
  }

  /// Where a request's answer goes.
  enum Asker {
    case silent
    /// A program is installed when the engine takes it.
    case install(ProgramSeed)
  }

  let options: DaemonOptions
  let clock: EngineClock
  let epoll: Epoll
  let listener: DescriptorBox
  let timer: Timer
  let wallTimer: Timer
  let signals: SignalDescriptor
  let place: CgroupPlace
  let ownCgroup: OwnCgroup
  let journal = Journal()
  /// For programs that are stopped by signals.
  let processes = ProcessTable()
  /// For every descriptor that came from a program.
  let closer = Closer()
  /// How many seconds a turn of the loop may take before the alarm ends this process, and the guard starts
  /// another.
  static let longestTurn = 4
  var watching = Watching.nobody
  var guardDeaths = Backoff()
  /// The guard that started this process is gone.
  var guardHasEnded = false
  /// Tells whether the guard that was started last could be run.
  var guardStart: DescriptorBox?
  /// Processes of Lull that have ended, or are about to, and whose status nobody has taken.
  var unreaped: [DescriptorBox] = []
  var leftPrograms: [LeftProgram] = []
  /// The restored program that is in its first freeze.
  weak var trial: Program?
  /// First freezes that wait for the end of that one.
  var laterTrials: [FreezeStep] = []
  var engine: Engine
  var programs: [Program?] = []
  var clients = SlotArray<Client>()
  var lineSlots = SlotArray<HeldLine>()
  /// What waits to be told to the engine.
  var events: [Event] = []
  var freezes: [FreezeStep] = []
  /// Looks that are not done yet.
  var looks: [(id: AppID, ticket: Ticket)] = []
  /// Freezes that the kernel has not confirmed yet, and when to ask again.
  var rechecks: [(at: Int64, id: AppID, ticket: Ticket)] = []
  var askers: [UInt64: Asker] = [:]
  var lastRequest: UInt64 = 0
  var answered: LullEngine.Answer?
  /// Programs whose duplicates are to be released in this turn, after every thaw is written.
  var released: [Program] = []
  /// Descriptors that are still to be closed.
  var discarded: [Discarded] = []
  /// Programs that lost their connection while their process lived.
  var leaving: [Program] = []
  /// The client that is heard first when the last turn had no time for it.
  var nextServed: Token?
  /// Clients with output to write at the end of the turn.
  var dirty: [Client] = []
  var armed: Int64?
  var isTimeUp = false
  /// Whether signals are polled beside the set, and whether some have come.
  var isSetPolled = false
  var hasSignals = false
  var isStopping = false
  /// Commands that ended with nobody attached, oldest first.
  var unheardEnds: [UnheardEnd] = []
  static let maximumUnheardEnds = 64
  /// Commands that ended when they were frozen, oldest first.
  var spared: [String] = []
  static let maximumSpared = 64
  var reserve = DescriptorReserve()
  /// The listener is not watched until then.
  var listensAgainAt: Int64?
  /// How many connections each process has.
  var connectionCounts: [Int32: Int] = [:]
  let outputs = OutputTotal()
  /// Clients that have handed something over for a `run` or `session` to come, oldest first.
  var staging: [Client] = []
  /// Children that are no programs after all, until they are reaped.
  var strays: [ProgramSeed] = []
  var receiveBuffer = ReceiveBuffer(capacity: 16_384)
  /// One read of the clock per wake-up.
  var now: Moment
  var seenAt: Int64 = 0
  var stillTime = StillTime(boottime: Clock.boottime(), monotonic: Clock.monotonic())
  var wallOffset: Int64 = 0
  /// The path by which programs connect to this daemon.
  let controlPath = RuntimeDirectory.controlSocket()
  /// The same as the kernel writes it.
  let listenerName: String
  /// lull-audio, while there are sessions.
  var sound: SoundLink?
  var soundStartedAt: Int64 = 0
  var soundRestartAt: Int64?
  /// Until then a lull-audio that was restarted has told what plays.
  var soundNewsBy: Int64?

  /// A daemon that serves `listener`; `guardLink` leads to lull-guard, which keeps what must outlive this
  /// process.
  public init(options: DaemonOptions, listener: consuming Descriptor, guardLink: consuming Descriptor?)
    throws(SystemError)
  {
    self.options = options
    clock = EngineClock(rate: options.clockRate, base: options.clockBase)
    engine = Engine(policy: Policy())
    now = clock.now()
    epoll = try Epoll()
    self.listener = DescriptorBox(listener)
    timer = try Timer.bestBoottime()
    wallTimer = try Timer(.realtime)
    // The alarm is not among them: it ends this process, whatever that is doing.
    signals = try SignalDescriptor(
      blocking: Startup.endingSignals().filter { $0 != Signal.alarm } + [Signal.child])
    place = CgroupPlace.find(root: options.cgroupRoot)
    ownCgroup = try OwnCgroup()
    if let link = guardLink {
      // The guard made the pair of sockets.
      let process = try? DescriptorBox(UnixSocket.peerPidfd(of: link.raw))
      watching = .expected(GuardLink(DescriptorBox(link)), process, since: Clock.boottime())
    }
    for signal in Signal.needless { try Signal.ignore(signal) }
    listenerName = (try? Socket.localAddress(self.listener.raw))?.description ?? ""
    reserve.fill()
  }

  func program(_ id: AppID) -> Program? {
    let slot = Int(id.slot)
    guard slot < programs.count, let program = programs[slot], program.id == id else { return nil }
    return program
  }

  func program(_ token: Token) -> Program? {
    guard token.slot < programs.count, let program = programs[token.slot],
      program.id.generation & 0xFF_FFFF == token.generation
    else { return nil }
    return program
  }

  func newRequest(_ asker: Asker) -> RequestID {
    lastRequest &+= 1
    askers[lastRequest] = asker
    return RequestID(lastRequest)
  }

  /// Asks the engine and hands its answer back; every request is answered within the same call.
  func ask(_ event: (RequestID) -> Event) -> LullEngine.Answer {
    answered = nil
    feed(event(newRequest(.silent)))
    return answered ?? .refused(.gone)
  }
}
