import LullEngine

/// Programs that behave, beside a machine that manages them: each holds a line, has a keep-alive, says `done`
/// after a wake and is frozen when the machine wants it. Unless they are flawless, one wake in 50 ends
/// without `done`, and one freeze in 200 is refused.
struct Fleet<Managed: Machine> {
  private(set) var machine: Managed
  private(set) var now = Moment(nanoseconds: 1)
  /// Everything that the machine was told, for a second machine to go the same way.
  private(set) var trace: [(moment: Moment, input: Input)] = []
  private var lines: [(app: AppID, line: LineID)] = []
  private var effects: [Effect] = []
  private var replies: [Event] = []
  private let isFlawless: Bool
  private var random = Random()

  /// Registers `count` programs, `spread` apart at the most, each asleep with a keep-alive of `timeout`.
  init(_ machine: Managed, programs count: Int, timeout: Interval, spread: Interval, isFlawless: Bool) {
    self.machine = machine
    self.isFlawless = isFlawless
    lines.reserveCapacity(count)
    let moments = (0..<count).map { _ in 1 + random.below(max(1, spread.nanoseconds)) }.sorted()
    for (number, moment) in moments.enumerated() {
      advance(to: Moment(nanoseconds: moment))
      var registration = Registration(name: "program-\(number)", modes: .voip)
      registration.launch = .background
      guard case .registered(let app, _) = ask(.register(registration)) else { continue }
      if case .line(let line) = ask(.hold(app, .voip, [])) { lines.append((app, line)) }
      _ = ask(.keepAlive(app, timeout, lastRun: nil))
    }
  }

  /// Lets at least `count` events happen, the new trace: bytes for one program or another every 60 ms, and
  /// what follows from them.
  mutating func live(events count: Int) {
    trace.removeAll(keepingCapacity: true)
    while trace.count < count {
      advance(to: now + Interval(nanoseconds: random.below(120_000_000)))
      let (app, line) = lines[Int(random.below(Int64(lines.count)))]
      feed(.ready(app, line, .data))
    }
  }

  /// Lets the time pass; `ticked` is called with each moment at which the machine had to be woken, and
  /// whether a keep-alive ran.
  mutating func advance(to moment: Moment, ticked: (Moment, Int) -> Void = { _, _ in }) {
    while let deadline = machine.deadline, deadline <= moment {
      now = max(now, deadline)
      ticked(now, feed(.tick))
    }
    now = max(now, moment)
  }

  private mutating func ask(_ request: Engine.Request) -> Engine.Answer {
    let answer = machine.handle(request, at: now, effects: &effects)
    trace.append((now, .request(request)))
    for effect in effects { _ = react(effect) }
    effects.removeAll(keepingCapacity: true)
    _ = workOff()
    return answer
  }

  /// Hands over an event and what the programs and the kernel answer; returns how many keep-alives ran.
  @discardableResult
  private mutating func feed(_ event: Event) -> Int {
    replies.append(event)
    return workOff()
  }

  private mutating func workOff() -> Int {
    var keepAlives = 0
    var next = 0
    while next < replies.count {
      machine.handle(replies[next], at: now, effects: &effects)
      trace.append((now, .event(replies[next])))
      next += 1
      for effect in effects { keepAlives += react(effect) }
      effects.removeAll(keepingCapacity: true)
    }
    replies.removeAll(keepingCapacity: true)
    return keepAlives
  }

  /// One thread that waits, as a program on the library shows it.
  private let observation: Observation = {
    var observation = Observation()
    observation.threads = [ObservedThread(process: 1, thread: 1, wait: .sources)]
    return observation
  }()

  private mutating func react(_ effect: Effect) -> Int {
    switch effect {
    case .deliver(let app, let message, let ticket):
      replies.append(.did(app, ticket))
      if message == .didEnterBackground { replies.append(.done(app, ticket)) }
    case .woke(let app, let wake, let ticket) where wake.reason != .keepalive:
      if isFlawless || random.below(50) > 0 { replies.append(.done(app, ticket)) }
    case .runKeepAlive(let app, let ticket):
      replies.append(.done(app, ticket))
      return 1
    case .freeze(let app, let ticket):
      let isFrozen = isFlawless || random.below(200) > 0
      replies.append(
        isFrozen ? .observed(app, ticket, observation) : .freezeRefused(app, ticket, .notIdle))
    case .watch(let app, let ticket, _): replies.append(.frozen(app, ticket))
    default: break
    }
    return 0
  }
}
