import LullEngine

/// The waits of a command's threads, as its kernel knows them.
struct FakeWaits {
  enum Style: CaseIterable {
    /// An epoll set with every line that a thread reads; an edge is told once.
    case levelSet, edgeSet
    case poll
    /// A thread naps, and reads everything in between.
    case naps
    /// A wait for the program's own eventfds and pipes, for a child, for what nobody can watch.
    case inside, child, unwatchable
  }

  var style = Style.levelSet
  var unwatchable = Unwatchable.sharedFutex
  /// The time-out, which begins anew whenever it runs out; nil waits without limit.
  var timeOut: Interval?
  /// True for a time-out that goes on after a thaw with its rest, as that of select does; any other ends in
  /// the sleep.
  var standsStill = true
  /// True when another thread naps beside the thread that waits.
  var hasNapper = false
  /// A query whose answer is lost: the query is sent again at the end of its time-out.
  private(set) var query: (line: LineID, timeOut: Interval, ends: Interval)?
  private var ran = Interval.zero
  private var runsSince: Moment? = Moment(nanoseconds: 0)
  /// The beginning of a time-out that does not stand still.
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

  /// The program's own time: the time for which it has run.
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

  /// The rest of the time-out.
  func left(_ now: Moment) -> Interval? {
    guard let timeOut else { return nil }
    guard standsStill || runsSince != nil else { return max(.zero, begun + timeOut - now) }
    let gone = standsStill ? clock(now) : now - begun
    return Interval(nanoseconds: timeOut.nanoseconds - gone.nanoseconds % timeOut.nanoseconds)
  }

  mutating func ask(on line: LineID, for timeOut: Interval, sent ago: Interval, at now: Moment) {
    query = (line, timeOut, clock(now) + timeOut - ago)
  }

  /// A program that closes the socket waits for no answer there.
  mutating func closed(_ line: LineID) {
    if query?.line == line { query = nil }
  }

  /// The rest of the query's first time-out.
  func queryLeft(_ now: Moment) -> Interval? {
    guard let query, query.ends > clock(now) else { return nil }
    return query.ends - clock(now)
  }

  /// True when a thread may read whatever is open.
  var naps: Bool { style == .naps || hasNapper }

  /// The way in which the program reads a line; nil when it does not.
  func role(_ line: FakeLine) -> WakeSource.Role? {
    switch style {
    case .levelSet where !line.isLeaked, .edgeSet where !line.isLeaked: .member
    case .poll where !line.isLeaked: .waited
    default: naps ? .open : nil
    }
  }
}
