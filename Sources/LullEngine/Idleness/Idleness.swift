/// The rules by which a program may sleep: each of its threads waits, no condition that a thread waits for
/// holds, and something outside can make one of these conditions true. This value remembers what the rules
/// need from one observation to the next.
struct Idleness: Sendable {
  struct Terms {
    /// The time in which an answer may come to what the program sent of its own accord.
    var linger: Interval
    /// The program has audio sessions, or is run for its sound, fetches or pushes alone. It needs nothing
    /// outside that could wake it, since its own timers, its next fetch or a push do: otherwise the close of
    /// a session would keep it awake.
    var needsNothing = false
    /// The end of the time in which the program may be looking for this supervisor.
    var searchEnds: Moment?
    /// The program leaves wakes to the engine's decision: a wake may be put off, or a ping answered for the
    /// program.
    var asksFirst = false
  }

  private var unread = UnreadMemory()
  private var datagrams = DatagramMemory()
  private var answers = AnswerMemory()
  private var ticks = TickMemory()
  private var sound = SoundMemory()
  private var work = WorkMemory()
  private var lastTraffic: Moment?

  init() {}

  /// The state of a program that slept under an earlier supervisor.
  init(restoredAt now: Moment) {
    datagrams.slept()
    answers.slept(at: now)
    lastTraffic = now
  }

  /// Bytes came or went.
  mutating func moved(at now: Moment) { lastTraffic = now }

  mutating func woke(by line: LineID, at now: Moment) {
    moved(at: now)
    answers.woke(by: line)
  }

  /// The time-outs of the program stood still as well.
  mutating func standStill(_ time: Interval) {
    unread.standStill(time)
    datagrams.standStill(time)
    work.standStill(time)
    answers.standStill(time)
    lastTraffic = lastTraffic.map { $0 + time }
  }

  mutating func wasFrozen(for time: Interval) {
    datagrams.wasFrozen(for: time)
    answers.wasFrozen(for: time)
  }

  mutating func slept(at now: Moment) {
    datagrams.slept()
    answers.slept(at: now)
    sound = SoundMemory()
    unread.slept()
  }

  mutating func woke(at now: Moment) { work.woke(at: now) }

  mutating func evaluate(_ look: Look, at now: Moment, policy: Policy) -> Finding? {
    let busy = look.obstacle ?? work.evaluate(look.used, ticks: ticks.hasTicked, at: now, policy: policy)
    if case .busy(.notIdle, _, _) = busy { unread.worked() }
    return busy
  }

  /// The cheapest and surest rules come first.
  mutating func evaluate(
    _ observation: Observation, _ terms: Terms, at now: Moment, policy: Policy
  ) -> Finding {
    if let busy = Self.obstacle(observation, policy) ?? Self.atWork(observation) {
      unread.worked()
      return busy
    }
    datagrams.see(observation, at: now)
    // The time-out of a query or an answer is known at the first observation that shows it, whatever else
    // keeps the program awake then.
    let query = datagrams.queryDue(observation, at: now, policy: policy)
    let owed = answers.answerOwed(observation, at: now, policy: policy)
    if let busy = Self.sound(observation) ?? Self.unreachable(observation, terms) { return busy }
    var plan = WatchPlan()
    plan.wakesAtOnce = !terms.asksFirst
    if let busy = unread.evaluate(observation, &plan, at: now, policy: policy) {
      lastTraffic = now
      return busy
    }
    if let busy = Self.abandoned(observation, terms) { return busy }
    if let busy = Self.answerDue(observation, terms, policy: policy) ?? query ?? owed
      ?? Self.search(observation, terms, at: now, policy: policy)
      ?? expected(observation, at: now, policy: policy)
    {
      return busy
    }
    plan.full = observation.sources.compactMap { $0.role == .open && $0.isFull ? $0.line : nil }
    if !plan.disregarded.isEmpty { plan.wakesAtOnce = false }
    return .idle(plan)
  }

  /// The refusal for what may come any moment.
  private mutating func expected(
    _ observation: Observation, at now: Moment, policy: Policy
  ) -> Finding? {
    let session = datagrams.session(in: observation)
    if let busy = ticks.evaluate(
      observation, session: session, lastTraffic: lastTraffic, at: now, policy: policy)
    {
      return busy
    }
    return sound.evaluate(observation, at: now, policy: policy)
  }
}
