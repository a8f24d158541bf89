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
  var course = TimeOutCourse.standsStill
  var hasNapper = false
  /// An alarm that rings again and again: nobody can tell when, and it goes on in the sleep.
  private(set) var alarm: (period: Interval, due: Moment)?
  /// A query whose answer is lost: the query is sent again at the end of its time-out.
  private(set) var query: (line: LineID, timeOut: Interval, ends: Interval)?
  /// A long call that moves bytes, or work in short naps that uses half a processor.
  private var deed: (isCall: Bool, begin: Interval, ends: Interval)?
  private var usedBefore = Interval.zero
  /// True for a server that answers at the end of its time-out.
  var answersAtTick = false
  /// The connection on which something came since the last sleep, and the end of the time-out then: on the
  /// program's own clock where the time-out stands still.
  private(set) var answer: (line: LineID, ends: Interval)?
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
      .milliseconds(20), .milliseconds(300), .seconds(1), .seconds(5), .seconds(60), .seconds(900),
    ]
    if chance.happens(500) { waits.timeOut = chance.pick(timeOuts) }
    waits.course = chance.pick(TimeOutCourse.allCases)
    waits.hasNapper = chance.happens(150)
    let periods: [Interval] = [.seconds(5), .seconds(60), .seconds(900)]
    if chance.happens(200) { waits.alarm = (chance.pick(periods), Moment(nanoseconds: 0)) }
    waits.answersAtTick = chance.happens(500) && waits.course != .beginsAnew
    return waits
  }

  /// The program's own time: the time for which it has run.
  func clock(_ now: Moment) -> Interval { ran + (runsSince.map { now - $0 } ?? .zero) }

  /// The program has handled its alarm while it ran.
  private mutating func handleAlarm(at now: Moment) {
    guard let alarm, alarm.due <= now else { return }
    self.alarm?.due = now + alarm.period
  }

  mutating func stop(at now: Moment) {
    handleAlarm(at: now)
    if let timeOut, let left = left(now) { begun = now + left - timeOut }
    (ran, runsSince) = (clock(now), nil)
  }

  mutating func run(at now: Moment) {
    guard runsSince == nil else { return }
    runsSince = now
    handleAlarm(at: now)
    if let timeOut, begun + timeOut <= now { begun = now }
  }

  mutating func keepClock(of old: FakeWaits, at now: Moment) {
    (ran, runsSince, begun) = (old.ran, old.runsSince, now)
    (deed, usedBefore) = (old.deed, old.usedBefore)
  }

  /// The rest of the time-out, as an observer can tell it: one that a freeze cuts off begins anew.
  func left(_ now: Moment) -> Interval? {
    guard let timeOut, course != .beginsAnew else { return timeOut }
    guard course == .standsStill || runsSince != nil else { return max(.zero, begun + timeOut - now) }
    let gone = course == .standsStill ? clock(now) : now - begun
    return Interval(nanoseconds: timeOut.nanoseconds - gone.nanoseconds % timeOut.nanoseconds)
  }

  mutating func ask(on line: LineID, for timeOut: Interval, sent ago: Interval, at now: Moment) {
    query = (line, timeOut, clock(now) + timeOut - ago)
  }

  /// A program that closes the socket waits for no answer there.
  mutating func closed(_ line: LineID) {
    if query?.line == line { query = nil }
    if answer?.line == line { answer = nil }
  }

  /// The rest of the query's first time-out.
  func queryLeft(_ now: Moment) -> Interval? {
    guard let query, query.ends > clock(now) else { return nil }
    return query.ends - clock(now)
  }

  mutating func act(isCall: Bool, for length: Interval, at now: Moment) {
    usedBefore = used(now)
    deed = (isCall, clock(now), clock(now) + length)
  }

  func isInCall(_ now: Moment) -> Bool { deed.map { $0.isCall && $0.ends > clock(now) } ?? false }

  /// The moment since which it has worked and no freeze has held it up; nil when it does not work.
  func worksSince(_ now: Moment) -> Moment? {
    guard let deed, !deed.isCall, deed.ends > clock(now), let runsSince else { return nil }
    return max(runsSince, now - (clock(now) - deed.begin))
  }

  func used(_ now: Moment) -> Interval {
    guard let deed, !deed.isCall else { return usedBefore }
    return usedBefore + (min(clock(now), deed.ends) - deed.begin).scaled(by: 1, over: 2)
  }

  mutating func read(_ line: LineID, at now: Moment) {
    guard answersAtTick, answer == nil, let left = left(now) else { return }
    answer = (line, answerClock(now) + left)
  }

  /// The program slept: what came before is answered.
  mutating func slept() { answer = nil }

  /// The time since the answer was given; negative before.
  func sinceAnswer(_ now: Moment) -> Interval? { answer.map { answerClock(now) - $0.ends } }

  private func answerClock(_ now: Moment) -> Interval {
    course == .standsStill ? clock(now) : now - Moment(nanoseconds: 0)
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
