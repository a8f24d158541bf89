internal import LullEngine

/// A timer of the application; it runs until it is cancelled or, without `repeats`, has fired.
public final class TimerToken {
  let handler: () -> Void
  let interval: Interval
  let repeats: Bool
  let wakes: Bool
  var due: Moment
  /// False once the timer was cancelled or, without `repeats`, has fired.
  public private(set) var isValid = true

  init(
    interval: Interval, repeats: Bool, wakes: Bool = false, due: Moment, handler: @escaping () -> Void
  ) {
    (self.interval, self.repeats, self.wakes) = (interval, repeats, wakes)
    (self.due, self.handler) = (due, handler)
  }

  /// Takes the timer back; does nothing the second time.
  public func cancel() { isValid = false }
}

/// The timers in the order in which they were started.
struct TimerList {
  private var timers: [TimerToken] = []

  var next: Moment? { timers.lazy.filter(\.isValid).map(\.due).min() }
  var nextWaking: Moment? { timers.lazy.filter { $0.isValid && $0.wakes }.map(\.due).min() }

  /// Makes the timers that wake the program by `moment` due now; false without any.
  func hasten(until moment: Moment, to now: Moment) -> Bool {
    let early = timers.filter { $0.isValid && $0.wakes && $0.due <= moment }
    for timer in early { timer.due = min(timer.due, now) }
    return !early.isEmpty
  }

  mutating func insert(_ timer: TimerToken) { timers.append(timer) }

  /// The timers that are due. A repeating timer fires once, however often its time has passed in the
  /// program's sleep.
  mutating func takeDue(at now: Moment) -> [TimerToken] {
    guard !timers.isEmpty else { return [] }
    timers.removeAll { !$0.isValid }
    let due = timers.filter { $0.due <= now }.sorted { $0.due < $1.due }
    for timer in due { timer.due = now + timer.interval }
    timers.removeAll { timer in !timer.repeats && due.contains { $0 === timer } }
    return due
  }
}
