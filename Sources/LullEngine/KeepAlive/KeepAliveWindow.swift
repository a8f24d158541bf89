/// A keep-alive and its window (Background Execution, "Implementing a VoIP App";
/// `setKeepAliveTimeout:handler:`).
///
/// Two runs are never less than the minimum (600 s) and never more than the time-out apart. The first run may
/// come earlier than the time-out, together with another program's, so that programs fall into step.
struct KeepAliveWindow: Sendable {
  let timeout: Interval
  /// The first moment at which the handler runs beside another that must run.
  private(set) var opens: Moment
  private(set) var due: Moment
  private(set) var lastRun: Moment?
  private(set) var runs = 0

  /// `base` is the start of the time-out, for a handler that replaces one which has not run yet.
  init(timeout: Interval, now: Moment, base: Moment, lastRun: Moment?, policy: Policy) {
    self.timeout = timeout
    self.lastRun = lastRun
    if let lastRun {
      opens = max(now, lastRun + Self.gap(timeout, policy))
      due = max(opens, lastRun + timeout)
    } else {
      opens = now
      due = max(now, base + timeout)
    }
  }

  private static func gap(_ timeout: Interval, _ policy: Policy) -> Interval {
    max(policy.keepAliveMinimum, timeout.scaled(by: 3, over: 4))
  }

  /// The handler runs at this moment without another. An awake program inside its window costs no wake, but
  /// the first run waits to fall into step.
  func runsAlone(awake: Bool) -> Moment { awake && lastRun != nil ? opens : due }

  mutating func mustRun(at now: Moment) { due = min(due, max(opens, now)) }

  mutating func ran(at now: Moment, policy: Policy) {
    lastRun = now
    runs += 1
    opens = now + Self.gap(timeout, policy)
    due = max(opens, now + timeout)
  }
}
