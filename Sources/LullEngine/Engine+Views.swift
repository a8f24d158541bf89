extension Engine {
  /// The managed programs in the order of their slots.
  public var programs: [AppID] { apps.ids }

  /// The program of that name.
  public func find(name: String) -> AppID? { apps.first { $0.registration.name == name } }

  /// The state of a program, without the cost of a whole view.
  public func state(of id: AppID) -> ApplicationState? { apps[id]?.state }

  /// The programs that a tick at `now` kills because a limit has passed. The shell first tells which of them
  /// are traced.
  public func overdue(at now: Moment) -> [AppID] {
    guard let first = limits.first, first.moment <= now else { return [] }
    return apps.ids.filter { apps[$0].map { $0.timeLimit <= now } ?? false }
  }

  /// The rest of the time in which a program that was asked to end must end.
  public func timeToEnd(of id: AppID, at now: Moment) -> Interval? {
    guard let app = apps[id], case .ending(_, let limit) = app.exit else { return nil }
    return max(limit - now, .zero)
  }

  /// The reason for which a program was asked to end, or was killed; nil for one that stays.
  public func ending(of id: AppID) -> KillReason? {
    switch apps[id]?.exit {
    case .ending(let reason, _), .killed(let reason): reason
    case .staying, nil: nil
    }
  }

  /// The last moment at which a program was sent a signal that asks for its end.
  public func askedToEnd(of id: AppID) -> Moment? { apps[id]?.askedToEnd }

  /// The declaration of a program.
  public func registration(of id: AppID) -> Registration? { apps[id]?.registration }

  /// A program as it stands at `now`; nil when it is not managed.
  public func program(_ id: AppID, at now: Moment) -> AppView? {
    guard let app = apps[id] else { return nil }
    var account = app.account
    account.turn(asleep: app.isAsleep, at: now)
    let isFreezing = app.freezeLimit != nil
    return AppView(
      id: id, registration: app.registration, state: app.state, isFreezing: isFreezing,
      leases: app.leases(policy),
      lines: app.lines.map {
        LineView(id: $0.id, purpose: $0.purpose, offload: $0.offload, answered: $0.answers.count)
      },
      tasks: app.tasks.items.map { (id: $0.id, name: $0.name) },
      sessions: app.playbacks.map {
        SessionView(id: $0.id, session: $0.session, order: $0.order, isRunning: $0.isRunning)
      },
      isRecordingDenied: app.isRecordingDenied, recordsStraight: app.recordsStraight,
      sounding: AudioScope.allCases.filter { app.hearing.isSounding($0) },
      keepAlive: app.keepAlive.map {
        KeepAliveView(timeout: $0.timeout, opens: $0.opens, due: $0.due, lastRun: $0.lastRun, runs: $0.runs)
      },
      nextFetch: app.fetches.map { $0.opens(surroundings, policy) },
      lastWake: app.wakes.last, lastSleep: app.account.lastSleep, cutOffPause: app.cutOffPause,
      lastRefusal: app.retry.last?.why,
      lastDetail: app.retry.last?.detail ?? .none, nextAttempt: app.isAwake ? app.retry.next : nil,
      timer: app.isAsleep ? app.timers.view : nil,
      asleep: account.asleep, awake: account.awake, wakes: app.wakes.total,
      compaction: app.memory.last,
      isOverBudget: app.wakes.isOver(at: now, policy: policy))
  }

  /// The notifications: those that wait for an answer, then those that wait for their time.
  public var notifications: [NotificationView] {
    centre.pending.map { view($0, fires: nil) }
      + centre.scheduled.map { view($0, fires: $0.fires.map(centre.moment)) }
  }

  /// The name of the program whose notification is shown under this number.
  public func program(showing id: NotificationID) -> String? { centre.findPending(id)?.program }

  /// That for which a suspended machine is resumed next; of several at one moment the first in the order of
  /// programs, installed programs and notifications.
  public var resume: ResumeView? {
    guard let alarm else { return nil }
    func view(_ program: String, _ reason: ResumeReason) -> ResumeView {
      ResumeView(program: program, reason: reason, moment: alarm)
    }
    if let app = apps.first(where: { $0.alarm.moment == alarm }).flatMap({ apps[$0] }) {
      return view(app.registration.name, app.alarm.reason)
    }
    if let program = launching.entries.first(where: { $0.alarm == alarm }) {
      return view(program.name, .keepalive)
    }
    return centre.scheduled.first { $0.fires.map(centre.moment) == alarm }.map {
      view($0.program, .notification)
    }
  }

  /// True while the user's session is locked.
  public var isLocked: Bool { surroundings.isLocked }

  /// The notifications for the next engine.
  public var allNotifications: [NotificationRecord] { centre.pending + centre.scheduled }

  private func view(_ item: NotificationRecord, fires: Moment?) -> NotificationView {
    NotificationView(
      id: item.id, program: item.program, content: item.content, fires: fires, repeats: item.repeats)
  }
}
