import Fuzzing
import LullEngine

/// The rules that hold whatever a shell says. The other rules need a shell that tells only what it has seen.
private var rulesWithoutWorld: [any Rule] {
  [TicketsGrow(), KnownPrograms(), ThawFirst(), QuietKill()]
}

/// The engine under any events at any times.
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
    let input = maker.input()
    var effects: [Effect] = []
    let answer = engine.take(input, at: now, effects: &effects)
    trace.add(step: steps, now: now, input, answer, effects: effects)
    for effect in effects { maker.ticket = max(maker.ticket, effect.ticket ?? 0) }
    // A shell feeds the tick last, once a deadline is over.
    if let due = engine.deadline, due <= now { engine.handle(.tick, at: now, effects: &effects) }
    try hold(engine.deadline.map { $0 > now } ?? true, "step \(steps): the deadline is over")
    do throws(Violation) {
      var step = step(input, effects: effects, engine: engine, now: now, isComplete: steps % 8 == 0)
      step.answer = answer
      try referee.evaluate(step, at: now)
    } catch {
      throw Flaw("step \(steps), rule \(error.rule): \(error.what)\n\(trace.text)")
    }
  }
}

private func step(
  _ input: Input, effects: [Effect], engine: Engine, now: Moment, isComplete: Bool
) -> Step {
  var step = Step(input: input, effects: effects, deadline: engine.deadline)
  guard isComplete else { return step }
  step.isComplete = true
  step.snapshots = engine.programs.compactMap { id in engine.program(id, at: now).map { Snapshot($0) } }
  step.notifications = engine.notifications.map { Notice(id: $0.id, program: $0.program, fires: $0.fires) }
  return step
}

extension Effect {
  fileprivate var ticket: UInt64? {
    switch self {
    case .freeze(_, let ticket), .watch(_, let ticket, _), .deliver(_, _, let ticket),
      .woke(_, _, let ticket),
      .runKeepAlive(_, let ticket), .runFetch(_, let ticket), .measure(_, let ticket):
      ticket.number
    default: nil
    }
  }
}
