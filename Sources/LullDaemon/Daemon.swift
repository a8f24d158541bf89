internal import LullChannel
import LullEngine
package import LullGuard
package import LullSystem

/// The shell around the engine: one thread, one reactor. Readiness becomes events, effects become
/// system calls. It decides nothing that the engine could decide.
package final class Daemon {
  let services: SharedServices
  let control: ControlServer
  let host: EngineHost
  let deadlines: Deadlines
  let signals: Signals
  let guardianship: GuardSupervisor
  let sound: AudioSupervisor
  let presenter: Presenter
  let machine: MachineKeeper
  let ledger: LedgerStore
  let awaited: Awaited
  let notifyHook: NotifyHook
  let alerts: Alerts
  let surroundings: SurroundingSources
  let pressure: PressureWatch
  let measurements: Measurements
  let scores: Scores
  let suspenders: Suspenders
  let freezing: Freezing
  let network: NetworkWatch
  let care: ProgramCare
  let keptLines: KeptLines
  let programs: ProgramTable
  let commands: Commands
  let ending: DaemonEnding
  let upgrade: Upgrade
  var receiveBuffer = ReceiveBuffer(capacity: 16_384)

  /// A daemon that serves `listener`; `guardLink` leads to lull-guard, which keeps the descriptors that must
  /// outlive this process.
  package init(options: DaemonOptions, listener: consuming Descriptor, guardLink: consuming Descriptor?)
    throws(SystemError)
  {
    var shared = try SharedServices(options)
    let (reactor, journal) = (shared.reactor, shared.journal)
    shared.policy.processes = ProcessPolicy()
    // A process takes its time however fast the engine's clock runs.
    let rate = options.clockRate
    shared.policy.launchTime = shared.policy.launchTime.scaled(by: rate)
    shared.policy.keptRestartTime = shared.policy.keptRestartTime.scaled(by: rate)
    // lull-guard has the same limit.
    let files = journal.ignoring([], try Limits.openFiles()) ?? 1024
    shared.policy.maximumKeptLines = Guard.roomForLines(openFiles: files)
    let policy = shared.policy
    services = shared
    ending = DaemonEnding(policy.supervision)
    let clock = EngineClock(rate: options.clockRate, base: options.clockBase)
    host = EngineHost(clock, policy)
    ledger = LedgerStore(
      directory: StateDirectory.path(), by: services.fileWorker, policy.supervision, journal)
    awaited = Awaited(services)
    programs = ProgramTable()
    control = ControlServer(DescriptorBox(listener), services)
    freezing = Freezing(services, clock: clock, policy: policy, controlPath: RuntimeDirectory.controlSocket())
    network = NetworkWatch(services)
    care = try ProgramCare(services)
    keptLines = KeptLines(services, policy) { [host] event in host.queue(event) }
    var first: GuardProcess.Candidate?
    if let link = guardLink { first = GuardProcess.first(DescriptorBox(link), journal) }
    let served = control.listener.raw
    guardianship = GuardSupervisor(
      first, policy: policy.supervision, journal: journal, reactor: reactor
    ) { start throws(SystemError) in
      try GuardProcess.launch(start, options, listener: served)
    }
    suspenders = try Suspenders(root: options.cgroupRoot, journal)
    sound = AudioSupervisor(clock, policy: policy.supervision, journal: journal, reactor: reactor) {
      () throws(SystemError) in
      try AudioLink.launch(
        openFileLimit: options.openFileLimit, longestWait: policy.supervision.audioHang.nanoseconds)
    }
    presenter = Presenter(policy.supervision, journal: journal, reactor: reactor) {
      () throws(SystemError) in
      try NotifyProcess.launch(
        openFileLimit: options.openFileLimit, longestWait: policy.supervision.audioHang.nanoseconds)
    }
    alerts = Alerts(clock, policy, journal: journal, reactor: reactor) { request throws(SystemError) in
      try AlertProcess.launch(request, openFileLimit: options.openFileLimit)
    }
    surroundings = SurroundingSources(services)
    pressure = PressureWatch(services, policy.pressure)
    measurements = Measurements(services)
    scores = Scores(policy.pressure, clock: clock, journal: journal)
    machine = MachineKeeper(
      lock: WakeLock(folder: "\(Identity.environment("LULL_SYSTEM_ROOT") ?? "")/sys/power"))
    commands = Commands(services, maximumExempt: policy.maximumFreezeExempt)
    notifyHook = NotifyHook(services)
    upgrade = Upgrade(policy.supervision)
    deadlines = try Deadlines(services)
    signals = try Signals(services)
    for signal in Signal.needless { try Signal.ignore(signal) }
  }

  func program(_ id: AppID) -> Program? { programs[id] }

  var options: DaemonOptions { services.options }
  var reactor: DaemonReactor { services.reactor }
  var journal: Journal { services.journal }
  var journalFile: JournalFile { services.journalFile }
  var systemdJournal: SystemdJournal { services.systemdJournal }
  var closer: Closer { services.closer }

  var freezer: Freezer { freezing.freezer }
  var observer: Observer { freezing.observer }
  var sources: WakeSources { freezing.sources }
  var exits: Exits { commands.exits }
  var keepers: Keepers { commands.keepers }
  var mistakes: Mistakes { commands.mistakes }
  var remarks: Remarks { programs.remarks }

  var engine: Engine { host.engine }
  var clock: EngineClock { host.clock }
  var now: Moment { host.now }
  var seenAt: Int64 { host.seenAt }

  func feed(_ event: Event) {
    host.queue(event)
    pump()
  }

  /// Works off the waiting events. Requests that arrive meanwhile are worked off in their turn, in order.
  func pump() {
    var effects: [Effect] = []
    while host.handleNext(effects: &effects) {
      for effect in effects { perform(effect) }
    }
  }

  /// Asks the engine. Waiting events go first; everything that follows is done when this returns.
  func ask(
    _ request: Engine.Request, beforeEffects: (Engine.Answer) -> Void = { _ in }
  ) -> Engine.Answer {
    pump()
    var effects: [Effect] = []
    let answer = host.handle(request, effects: &effects)
    beforeEffects(answer)
    for effect in effects { perform(effect) }
    pump()
    return answer
  }
}
