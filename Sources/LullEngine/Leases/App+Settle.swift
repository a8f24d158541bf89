extension App {
  /// `looks` is the moment from which on the program's signals are looked at in any turn.
  mutating func settle(
    _ turn: inout Turn
  ) -> (due: Moment, alarm: Moment, limit: Moment, looks: Moment, holdsMachine: Bool) {
    var rounds = LoopLimit(100)
    var (due, alarm) = (Moment.never, Alarm())
    repeat {
      guard rounds.goesOn(id, &turn) else {
        return (turn.now + .seconds(1), .never, limit, .never, holdsMachine)
      }
      elapse(&turn)
      tellChoices(&turn)
      turnTowardsTarget(&turn)
      tellLinks(&turn)
      // Before the mail: a program that exits on suspend is sent `willTerminate` here.
      fallAsleep(&turn)
      sendMail(&turn)
      timeTasks(turn)
      alarm = self.alarm
      due = deadline(alarm, turn.policy)
    } while due <= turn.now
    weigh(&turn)
    let looks = isStaying && isAsleep ? timers.looksAlong(turn.policy) : .never
    return (due, alarm.moment, limit, looks, holdsMachine)
  }

  /// The keep-alive, the own timers and the paths that are kept open go by the clock of the world outside and
  /// stay.
  mutating func standStill(_ time: Interval) {
    launchEnds = launchEnds + time
    mail.standStill(time)
    if case .ending(let reason, let limit) = exit { exit = .ending(reason, limit: limit + time) }
    wakeLease?.standStill(time)
    keepAliveLease?.standStill(time)
    tasks.standStill(time)
    switch sleep {
    case .freezing(let ticket, let limit): sleep = .freezing(ticket, limit: limit + time)
    case .arming(let ticket, let limit, let timers):
      sleep = .arming(ticket, limit: limit + time, timers: timers)
    case .awake, .asleep: break
    }
    if case .watched(let since) = trial { trial = .watched(since + time) }
    retry.standStill(time)
    idleness.standStill(time)
    standSoundStill(time)
  }

  private mutating func standSoundStill(_ time: Interval) {
    hearing.standStill(time)
    startGrace.standStill(time)
    silentRefills.standStill(time)
  }
}

extension App.Lease {
  fileprivate mutating func standStill(_ time: Interval) { ends = ends + time }
}

extension Registration {
  func bounded(by policy: Policy) -> Registration {
    var bounded = self
    bounded.settings.batchWakes = settings.batchWakes?.clamped(to: .zero...policy.longest)
    bounded.settings.silence = settings.silence?.clamped(to: .zero...policy.silenceMaximum)
    bounded.settings.linger = settings.linger?.clamped(to: .zero...policy.lingerMaximum)
    bounded.settings.udpKeepAlive = settings.udpKeepAlive?.clamped(to: policy.pathsMinimum...policy.longest)
    bounded.settings.keepAlive = settings.keepAlive.map { min($0, policy.longest) }
    if case .floor(let floor) = settings.timers {
      bounded.settings.timers = .floor(floor.clamped(to: policy.timerFloorMinimum...policy.longest))
    }
    return bounded
  }
}
