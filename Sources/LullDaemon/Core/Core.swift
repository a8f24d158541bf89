internal import LullChannel
import LullEngine
import LullGuard
import LullSystem
import LullWire

/// What every part of the daemon works on: the engine, the programs, their clients, and what is shared of the
/// kernel. It knows no part.
final class Core {
  /// Where effects, requests and long answers go.
  struct Routes {
    let perform: (Effect) -> Void
    let hear: (Program) -> Void
    let records: (Report.Section, Int) -> ([Message], rest: [Report.Section])
  }

  let services: SharedServices
  let host: EngineHost
  let control: ControlServer
  let programs = ProgramTable()
  let freezing: Freezing
  let suspenders: Suspenders
  let ledger: LedgerStore
  let awaited: Awaited
  let guardianship: GuardSupervisor
  let signals: Signals
  var receiveBuffer = ReceiveBuffer(capacity: 16_384)
  private var given: Routes?

  init(_ services: SharedServices, listener: DescriptorBox, guardLink: DescriptorBox?) throws(SystemError) {
    self.services = services
    let (options, policy) = (services.options, services.policy)
    let (reactor, journal) = (services.reactor, services.journal)
    let clock = EngineClock(rate: options.clockRate, base: options.clockBase)
    host = EngineHost(clock, policy)
    ledger = LedgerStore(
      directory: StateDirectory.path(), by: services.fileWorker, policy.supervision, journal)
    awaited = Awaited(services)
    control = ControlServer(listener, services)
    freezing = Freezing(services, clock: clock, policy: policy, controlPath: RuntimeDirectory.controlSocket())
    suspenders = try Suspenders(root: options.cgroupRoot, journal)
    let served = control.listener.raw
    guardianship = GuardSupervisor(
      guardLink.flatMap { GuardProcess.first($0, journal) }, policy: policy.supervision, journal: journal,
      reactor: reactor
    ) { start throws(SystemError) in
      try GuardProcess.launch(start, options, listener: served)
    }
    signals = try Signals(services)
  }

  /// Called once, before anything is fed.
  func route(_ routes: Routes) { given = routes }

  private var routes: Routes {
    guard let given else { preconditionFailure("an effect would be lost: the core has no routes") }
    return given
  }

  func feed(_ event: Event) {
    host.queue(event)
    pump()
  }

  /// Works off the waiting events. Requests that arrive meanwhile are worked off in their turn, in order.
  func pump() {
    var effects: [Effect] = []
    while host.handleNext(effects: &effects) {
      for effect in effects { routes.perform(effect) }
    }
  }

  /// Asks the engine. Waiting events go first; everything that follows is done when this returns.
  func ask(_ request: Engine.Request, beforeEffects: (Engine.Answer) -> Void) -> Engine.Answer {
    pump()
    var effects: [Effect] = []
    let answer = host.handle(request, effects: &effects)
    beforeEffects(answer)
    for effect in effects { routes.perform(effect) }
    pump()
    return answer
  }

  func hear(_ program: Program) { routes.hear(program) }

  func records(of section: Report.Section, atMost step: Int) -> ([Message], rest: [Report.Section]) {
    routes.records(section, step)
  }
}
