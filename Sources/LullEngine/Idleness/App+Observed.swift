extension App {
  /// The frozen program was observed: it may sleep, or it goes on.
  mutating func observed(_ ticket: Ticket, observation: Observation, _ turn: inout Turn) {
    guard isStaying, case .freezing(ticket, let limit) = sleep else { return }
    retry.observed(observation.cost, turn)
    countFreeze(turn)
    switch evaluate(observation, turn) {
    case .idle(let plan):
      let timer = registration.sleepsByItself ? Idleness.nextTimer(observation, turn) : nil
      sleep = .arming(ticket, limit: limit, timer: timer)
      turn.perform(.watch(id, ticket, plan))
    case .busy(let why, let detail, let retryAfter):
      // The freeze has been counted.
      sleep = .awake
      takeFreezeBack(why, detail: detail, retryAfter: retryAfter, &turn)
    }
  }

  /// A library program has said which lines it waits for and that it is done; it must only have no thread at
  /// work, no signal pending and no answer to come. A command without a mode was told to sleep and need not
  /// prove anything.
  private mutating func evaluate(_ observation: Observation, _ turn: Turn) -> Finding {
    let terms = Idleness.Terms(
      linger: registration.linger ?? turn.policy.linger, hasSound: !playbacks.isEmpty,
      asksFirst: registration.batchWakes != nil || lines.contains { !$0.offload.isEmpty })
    guard !registration.sleepsByItself else {
      return idleness.evaluate(observation, terms, at: turn.now, policy: turn.policy)
    }
    var plan = WatchPlan()
    plan.wakesAtOnce = !terms.asksFirst
    guard registration.speaks else { return .idle(plan) }
    if let busy = Idleness.obstacle(observation, turn.policy) { return busy }
    for thread in observation.threads where thread.wait == .works {
      return .busy(.notIdle, .thread(process: thread.process, thread: thread.thread))
    }
    if let process = observation.signalled { return .busy(.notIdle, .signal(process: process)) }
    return observation.isAsking ? .busy(.asking, .none) : .idle(plan)
  }
}
