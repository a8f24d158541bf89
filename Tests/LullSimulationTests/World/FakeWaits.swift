import LullEngine

/// How the threads of a command wait, as its kernel knows it.
struct FakeWaits {
  enum Style: CaseIterable {
    /// An epoll set with every line in it that it looks at; an edge is told once.
    case levelSet, edgeSet
    case poll
    /// It naps, and looks at everything in between.
    case naps
    /// For its own eventfds and pipes, for a child, for what nobody can watch.
    case inside, child, unwatchable
  }

  var style = Style.levelSet
  var unwatchable = Unwatchable.sharedFutex
  /// Begins anew whenever it runs out; nil waits without limit.
  var timeOut: Interval?
  /// The time-out goes on after a thaw with what it had left, as that of select does; any other ends in the
  /// sleep.
  var standsStill = true
  /// Another thread naps beside the one that waits.
  var hasNapper = false
  /// A query whose answer is lost: it is sent again at the end of its time-out.
  private(set) var query: (line: LineID, timeOut: Interval, ends: Interval)?
  private var ran = Interval.zero
  private var runsSince: Moment? = Moment(nanoseconds: 0)
  /// When a time-out began that does not stand still.
  private var begun = Moment(nanoseconds: 0)

  static func random(_ chance: inout Chance) -> FakeWaits {
    var waits = FakeWaits()
    let styles: [Style] = [.levelSet, .levelSet, .edgeSet, .edgeSet, .poll, .poll, .naps]
    waits.style = chance.happens(800) ? chance.pick(styles) : chance.pick(Style.allCases)
    waits.unwatchable = chance.pick(Unwatchable.allCases)
    let timeOuts: [Interval] = [
      .milliseconds(20), .milliseconds(300), .seconds(5), .seconds(60), .seconds(900),
    ]
    if chance.happens(500) { waits.timeOut = chance.pick(timeOuts) }
    waits.standsStill = chance.happens(500)
    waits.hasNapper = chance.happens(150)
    return waits
  }

  /// The program's own time: how long it has run.
  func clock(_ now: Moment) -> Interval { ran + (runsSince.map { now - $0 } ?? .zero) }

  mutating func stop(at now: Moment) {
    if let timeOut, let left = left(now) { begun = now + left - timeOut }
    (ran, runsSince) = (clock(now), nil)
  }

  mutating func run(at now: Moment) {
    guard runsSince == nil else { return }
    runsSince = now
    if let timeOut, begun + timeOut <= now { begun = now }
  }

  mutating func keepClock(of old: FakeWaits, at now: Moment) {
    (ran, runsSince, begun) = (old.ran, old.runsSince, now)
  }

  /// What is left of the time-out.
  func left(_ now: Moment) -> Interval? {
    guard let timeOut else { return nil }
    guard standsStill || runsSince != nil else { return max(.zero, begun + timeOut - now) }
    let gone = standsStill ? clock(now) : now - begun
    return Interval(nanoseconds: timeOut.nanoseconds - gone.nanoseconds % timeOut.nanoseconds)
  }

  mutating func ask(on line: LineID, for timeOut: Interval, sent ago: Interval, at now: Moment) {
    query = (line, timeOut, clock(now) + timeOut - ago)
  }

  /// Whoever closes the socket waits for no answer.
  mutating func closed(_ line: LineID) {
    if query?.line == line { query = nil }
  }

  /// What is left of the query's first time-out.
  func queryLeft(_ now: Moment) -> Interval? {
    guard let query, query.ends > clock(now) else { return nil }
    return query.ends - clock(now)
  }

  /// A thread may look at whatever is open.
  var naps: Bool { style == .naps || hasNapper }

  /// How it comes to look at a line; nil does not.
  func role(_ line: FakeLine) -> WakeSource.Role? {
    switch style {
    case .levelSet where !line.isLeaked, .edgeSet where !line.isLeaked: .member
    case .poll where !line.isLeaked: .waited
    default: naps ? .open : nil
    }
  }
}
