extension App {
  mutating func looked(_ ticket: Ticket, look: Look, _ turn: inout Turn) {
    guard isStaying, case .freezing(ticket, _) = sleep else { return }
    retry.looked(look.cost, turn)
    // A look at many threads takes several turns, in which the program runs.
    sleep = .freezing(ticket, limit: turn.now + turn.policy.freezeLimit)
    guard case .busy(let why, let detail, let retryAfter)? = evaluate(look, turn) else { return }
    let trial = trial
    takeFreezeBack(why, detail: detail, retryAfter: retryAfter, &turn)
    // Nothing was frozen, so the trial is still to come.
    self.trial = trial
  }

  /// A command without a mode need not prove anything, but none of its calls is cut short. A program on the
  /// library may use the processor as much as it likes until its `done`.
  private mutating func evaluate(_ look: Look, _ turn: Turn) -> Finding? {
    if registration.sleepsByItself { return idleness.evaluate(look, at: turn.now, policy: turn.policy) }
    return registration.speaks ? look.obstacle : look.interruption
  }

  mutating func observed(_ ticket: Ticket, observation: Observation, _ turn: inout Turn) {
    guard isStaying, case .freezing(ticket, let limit) = sleep else { return }
    retry.observed(observation.cost, turn)
    countFreeze(turn)
    if recordsStraight != observation.records {
      recordsStraight = observation.records
      turn.rearrangesSound = true
    }
    switch evaluate(observation, turn) {
    case .idle(let plan):
      let ahead = registration.sleepsByItself ? Idleness.timers(observation, turn) : OwnTimers.Ahead()
      if let rest = timers.toRunOut(ahead) {
        sleep = .awake
        let retryAfter = rest + turn.policy.idleFirst
        return takeFreezeBack(.cutOff, detail: .none, retryAfter: retryAfter, &turn)
      }
      sleep = .arming(ticket, limit: limit, timers: ahead)
      turn.perform(.watch(id, ticket, plan))
    case .busy(let why, let detail, let retryAfter):
      // The freeze was counted above, and must not be counted again.
      sleep = .awake
      takeFreezeBack(why, detail: detail, retryAfter: retryAfter, &turn)
    }
  }

  /// A library program has said which lines it waits for and that it is done: only a thread at work, a
  /// pending signal or an answer to come, also to the query of a thread, keeps it awake. A command without a
  /// mode was told to sleep and need not prove anything.
  private mutating func evaluate(_ observation: Observation, _ turn: Turn) -> Finding {
    let terms = Idleness.Terms(
      linger: registration.settings.linger ?? turn.policy.linger,
      needsNothing: !playbacks.isEmpty
        || registration.settings.modes.isSubset(
          of: [.audio, .fetch, .remoteNotification]),
      searchEnds: searchEnds,
      asksFirst: registration.settings.batchWakes != nil || !registration.settings.ignoredPeers.isEmpty
        || lines.contains { !$0.offload.isEmpty })
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
    if observation.isAsking { return .busy(.asking, .none) }
    return queries.due(observation, at: turn.now, policy: turn.policy) ?? .idle(plan)
  }
}
