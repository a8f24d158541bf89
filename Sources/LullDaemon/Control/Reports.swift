import LullEngine
import LullWire

extension AppView {
  /// A record for each lease that keeps the program `name` awake; one for each task.
  func leaseItems(_ name: String, at now: Moment) -> [Message] {
    leases.flatMap { lease in
      let item = Message(item: .lease).adding(.program, name).adding(.lease, lease.kind.rawValue)
        .adding(.endsInSeconds, lease.ends.map { ($0 - now).seconds })
      return lease.kind == .task ? tasks.map { item.adding(.task, $0.name) } : [item]
    }
  }

  func keepAliveItems(_ name: String, at now: Moment) -> [Message] {
    guard let keepAlive else { return [] }
    return [
      Message(item: .keepalive).adding(.program, name).adding(.timeoutSeconds, keepAlive.timeout.seconds)
        .adding(.dueInSeconds, (max(keepAlive.due, now) - now).seconds).adding(.runs, keepAlive.runs)
    ]
  }

  func timerItems(_ name: String, at now: Moment) -> [Message] {
    guard let timer else { return [] }
    return [
      Message(item: .timer).adding(.program, name).adding(.dueInSeconds, timer.due.map { ($0 - now).seconds })
        .adding(flag: .hidden, if: timer.isHidden)
        .adding(.lookInSeconds, timer.looks.map { ($0 - now).seconds })
        .adding(.floorSeconds, timer.floor?.seconds)
    ]
  }
}

extension AppView {
  /// The reason why a program is still awake that nothing keeps awake and that was not refused its sleep: it
  /// has just been started or woken, or its first freeze was a trial. Nil for any other program.
  func reasonToWait(at now: Moment) -> String? {
    guard state == .background, leases.isEmpty, lastRefusal == nil, let nextAttempt else { return nil }
    let tenths = max(1, ((nextAttempt - now).nanoseconds + 99_999_999) / 100_000_000)
    return "it sleeps if it is found idle, which is looked at in \(tenths / 10).\(tenths % 10) s"
  }
}

extension Registration {
  /// The sentence for a command that was frozen in a pause of its sound, and how it is spared; nil for one of
  /// more than five minutes.
  func remark(onPause pause: Interval) -> String? {
    guard !speaks, let enough = [30, 60, 120, 300, 600].first(where: { pause.seconds <= Double($0) / 2 })
    else { return nil }
    return "frozen in a pause of \(Int(pause.seconds.rounded())) s; --silence \(enough) would have held it"
  }

  /// Nil when the program's leases say all.
  func reasonToStayAwake(of name: String, in state: ApplicationState, isOverBudget: Bool, _ policy: Policy)
    -> String?
  {
    switch state {
    case .active, .inactive:
      return speaks || sleepsByItself
        ? "in the foreground: `lull background \(name)` lets it sleep"
        : "run without --mode voip: it sleeps only when told, by `lull suspend \(name)`"
    case .background where isOverBudget:
      let period = Int(policy.wakeBudgetPeriod.seconds)
      return "woken more often than \(policy.wakeBudget) times in \(period) s"
    default: return nil
    }
  }
}
