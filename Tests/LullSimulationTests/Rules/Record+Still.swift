import LullEngine

extension Record {
  /// Moves every limit by a time in which no program could run.
  func standStill(_ time: Interval) {
    launchedAt = launchedAt + time
    stoodAsleep = stoodAsleep + time
    message = message.map { ($0.message, $0.ticket, $0.since + time) }
    ending = ending.map { ($0.since + time, $0.reason) }
    stayEnds = stayEnds.map { $0 + time }
    wake = wake.map { $0.later(time) }
    keepAliveRun = keepAliveRun.map { $0.later(time) }
    wait = wait.map { Wait(from: $0.from + time, by: $0.by + time) }
    if case .freezing(let ticket, let since) = hold { hold = .freezing(ticket, since: since + time) }
    if case .watched(let since) = trial { trial = .watched(since + time) }
    ears = ears.mapValues { Ear(isHeard: $0.isHeard, fades: $0.fades.map { $0 + time }) }
    callFades = callFades.map { $0 + time }
    graceEnds = graceEnds.map { $0 + time }
    refill.wokenAt = refill.wokenAt.map { $0 + time }
    refill.next = refill.next + time
  }
}

extension Record.Lease {
  fileprivate func later(_ time: Interval) -> Record.Lease {
    var lease = self
    lease.ends = ends + time
    return lease
  }
}
