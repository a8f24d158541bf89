import Fuzzing
import LullEngine

/// The rules that hold whatever a shell says. The others lean on a shell that has seen what it tells.
private var rulesWithoutWorld: [any Rule] {
  [AnsweredOnce(), TicketsGrow(), KnownPrograms(), ThawFirst(), QuietKill()]
}

/// Any events at any times.
func fuzzEvents(_ bytes: [UInt8]) throws(Flaw) {
  var maker = EventMaker(ByteSource(bytes))
  var policy = Policy()
  let choice = maker.source.byte()
  if choice & 1 != 0 { policy.maximumPrograms = 3 }
  if choice & 2 != 0 { (policy.maximumLines, policy.maximumTasks) = (2, 2) }
  if choice & 4 != 0 { policy.keepAliveMinimum = .seconds(60) }
  var engine = Engine(policy: policy)
  let referee = Referee(policy: policy, rules: rulesWithoutWorld)
  var now = Moment(nanoseconds: Int64(choice >> 4) << 40)
  var trace = Trace(isHashed: false)
  var steps = 0
  while !maker.source.isEmpty, steps < 200 {
    steps += 1
    now = now + maker.wait()
    guard now < .never else { return }
    let event = maker.event()
    var effects: [Effect] = []
    engine.handle(event, at: now, effects: &effects)
    trace.add(step: steps, now: now, event: event, effects: effects)
    for effect in effects { maker.ticket = max(maker.ticket, effect.ticket ?? 0) }
    // A shell feeds it last, once a deadline is over.
    if let due = engine.deadline, due <= now { engine.handle(.tick, at: now, effects: &effects) }
    try hold(engine.deadline.map { $0 > now } ?? true, "step \(steps): the deadline is over")
    do throws(Violation) {
      try referee.judge(step(event, effects, engine, now, isComplete: steps % 8 == 0), at: now)
    } catch {
      throw Flaw("step \(steps), rule \(error.rule): \(error.what)\n\(trace.text)")
    }
  }
}

private func step(
  _ event: Event, _ effects: [Effect], _ engine: Engine, _ now: Moment, isComplete: Bool
) -> Step {
  var step = Step(event: event, effects: effects, deadline: engine.deadline)
  guard isComplete else { return step }
  step.isComplete = true
  step.snapshots = engine.programs.compactMap { id in engine.program(id, at: now).map { Snapshot($0) } }
  step.notifications = engine.notifications.map { Notice(id: $0.id, app: $0.app, fires: $0.fires) }
  return step
}

extension Effect {
  fileprivate var ticket: UInt64? {
    switch self {
    case .freeze(_, let ticket), .watch(_, let ticket, _), .deliver(_, _, let ticket),
      .woke(_, _, let ticket),
      .runKeepAlive(_, let ticket):
      ticket.number
    default: nil
    }
  }
}
