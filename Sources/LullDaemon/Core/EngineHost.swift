import LullEngine
import LullSystem

/// The engine, the events that wait for it, and the clock of the turn.
final class EngineHost {
  let clock: EngineClock
  private(set) var engine: Engine
  /// The moment of the turn: one read of the clock per wake-up, on the engine's clock and on CLOCK_BOOTTIME.
  private(set) var now: Moment
  private(set) var seenAt: Int64 = 0
  /// The wall clock at that moment, in nanoseconds. It is no sum with the engine's clock: that one may be a
  /// fast one.
  private(set) var seenOnWall = Clock.realtime()
  /// The wall clock minus the engine's, in nanoseconds.
  private(set) var wallOffset: Int64 = 0
  private var stillTime: StillTime
  private var events: [Event] = []

  init(_ clock: EngineClock, _ policy: Policy = Policy()) {
    self.clock = clock
    engine = Engine(policy: policy)
    stillTime = StillTime(
      boottime: Clock.boottime(), monotonic: Clock.monotonic(), policy: policy.supervision)
    now = clock.now()
  }

  var policy: Policy { engine.policy }

  /// On CLOCK_BOOTTIME.
  var deadline: Int64? { engine.deadline.map(clock.boottime(at:)) }

  /// The moment for which a suspended machine is resumed, on CLOCK_BOOTTIME.
  var alarm: Int64? { engine.alarm.map(clock.boottime(at:)) }

  // MARK: The clock

  func beginTurn() {
    seenAt = Clock.boottime()
    seenOnWall = Clock.realtime()
    now = clock.moment(atBoottime: seenAt)
  }

  /// Notices the time in which no program could run, before the engine is told anything of the turn: limits
  /// count only time in which programs could run. `due` is the moment to which the timer was armed.
  func noticeStillTime(due: Int64?) {
    let still = stillTime.turnBegins(boottime: seenAt, monotonic: Clock.monotonic(), due: due)
    if still > 0 { queue(.stoodStill(clock.interval(still))) }
  }

  /// In nanoseconds, before this turn.
  var suspended: Int64 { stillTime.suspended }

  func readWallClock() {
    beginTurn()
    wallOffset = Clock.realtime() &- now.nanoseconds
    queue(.wallClock(offset: wallOffset))
  }

  // MARK: Events and effects

  func queue(_ event: Event) { events.append(event) }

  func queue(_ more: [Event]) { events += more }

  func handleNext(effects: inout [Effect]) -> Bool {
    effects.removeAll(keepingCapacity: true)
    guard !events.isEmpty else { return false }
    engine.handle(events.removeFirst(), at: now, effects: &effects)
    return true
  }

  func handle(_ request: Engine.Request, effects: inout [Effect]) -> Engine.Answer {
    engine.handle(request, at: now, effects: &effects)
  }
}

/// Notices at the start of a turn that for a while no program could run, or that the daemon read no program's
/// requests.
///
/// CLOCK_BOOTTIME goes on while the machine is suspended, CLOCK_MONOTONIC does not. A turn that begins long
/// after the timer was due shows that this process was stopped, perhaps since its last turn.
struct StillTime: Sendable {
  private let lateness: Int64
  private let lead: Int64
  /// CLOCK_BOOTTIME minus CLOCK_MONOTONIC. A pause between the two reads makes it smaller, never greater.
  private var ahead: Int64
  private var lastTurn: Int64
  /// The time for which the machine was suspended before the last turn, in nanoseconds.
  private(set) var suspended: Int64 = 0

  init(boottime: Int64, monotonic: Int64, policy: SupervisionPolicy = SupervisionPolicy()) {
    (lateness, lead) = (policy.turnLateness.nanoseconds, policy.stopLead.nanoseconds)
    ahead = boottime - monotonic
    lastTurn = boottime
  }

  /// The time by which the limits of run time move, in nanoseconds; `due` is the moment to which the timer
  /// was armed.
  mutating func turnBegins(boottime: Int64, monotonic: Int64, due: Int64?) -> Int64 {
    suspended = max(0, boottime - monotonic - ahead)
    ahead += suspended
    let awake = max(0, boottime - lastTurn - suspended)
    lastTurn = boottime
    let late = due.map { boottime - $0 - suspended } ?? 0
    return suspended + (late > lateness ? min(awake, late + lead) : 0)
  }
}
