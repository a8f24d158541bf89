import LullEngine
import LullWire

extension AppView {
  /// Each task has a record of its own.
  func leaseItems(_ name: String, at now: Moment) -> [Message] {
    leases.flatMap { lease in
      let names = lease.kind == .task ? tasks.map { Optional($0.name) } : [nil]
      return names.map { task in
        LeaseItem {
          ($0.program, $0.kind, $0.task) = (name, lease.kind.rawValue, task)
          $0.endsInSeconds = lease.ends.map { ($0 - now).seconds }
        }
        .message
      }
    }
  }

  func keepAliveItems(_ name: String, at now: Moment) -> [Message] {
    guard let keepAlive else { return [] }
    let item = KeepAliveItem {
      ($0.program, $0.timeoutSeconds, $0.runs) = (name, keepAlive.timeout.seconds, Int64(keepAlive.runs))
      $0.dueInSeconds = (max(keepAlive.due, now) - now).seconds
    }
    return [item.message]
  }

  func timerItems(_ name: String, at now: Moment) -> [Message] {
    guard let timer else { return [] }
    let item = TimerItem {
      ($0.program, $0.isHidden, $0.floorSeconds) = (name, timer.isHidden, timer.floor?.seconds)
      $0.dueInSeconds = timer.due.map { ($0 - now).seconds }
      $0.lookInSeconds = timer.looks.map { ($0 - now).seconds }
    }
    return [item.message]
  }
}

extension AppView {
  /// For a program that nothing keeps awake, and that was not refused its sleep: it has just been started or
  /// woken, or its first freeze was a trial. Nil for any other program.
  func reasonToWait(at now: Moment) -> String? {
    guard state == .background, leases.isEmpty, lastRefusal == nil, let nextAttempt else { return nil }
    let tenths = max(1, ((nextAttempt - now).nanoseconds + 99_999_999) / 100_000_000)
    return "it sleeps if it is found idle, which is looked at in \(tenths / 10).\(tenths % 10) s"
  }
}

extension Registration {
  /// Nil for a pause of more than five minutes, which `--silence` does not hold.
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
