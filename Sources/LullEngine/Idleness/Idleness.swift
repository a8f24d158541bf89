/// May a program sleep? Yes while every thread of it waits, what it waits for has not come true, and
/// something outside can make one of these conditions true. A value: what a look saw goes in, a finding comes
/// out, and what has to be remembered from one look to the next stays here.
struct Idleness: Sendable {
  /// What the program was run with.
  struct Terms {
    /// How long what was sent of its own accord may be answered.
    var linger: Interval
    /// It has sessions of sound: one whose sound has ended needs nothing else that could wake it.
    var hasSound = false
    /// It leaves wakes to the engine's decision: one that is put off, or a ping that is answered for it.
    var asksFirst = false
  }

  private var unread = UnreadMemory()
  private var datagrams = DatagramMemory()
  private var ticks = TickMemory()
  private var sound = SoundMemory()
  /// When bytes last came or went on a line.
  private var lastTraffic: Moment?

  /// Nothing is known of a program yet.
  init() {}

  /// A program that slept under an earlier supervisor.
  init(restoredAt now: Moment) {
    datagrams.slept()
    lastTraffic = now
  }

  /// Bytes came or went.
  mutating func moved(at now: Moment) { lastTraffic = now }

  /// The time-outs of the program stood still as well.
  mutating func standStill(_ time: Interval) {
    datagrams.standStill(time)
    lastTraffic = lastTraffic.map { $0 + time }
  }

  /// The program sleeps: what is open now is nothing new at the next look.
  mutating func slept() {
    datagrams.slept()
    sound = SoundMemory()
    unread.slept()
  }

  /// The rules, the cheapest and surest first.
  mutating func evaluate(
    _ observation: Observation, _ terms: Terms, at now: Moment, policy: Policy
  ) -> Finding {
    if let busy = Self.obstacle(observation, policy) ?? Self.atWork(observation) {
      unread.worked()
      return busy
    }
    datagrams.see(observation, at: now)
    // Its time-out is known at the first look that sees it, whatever else keeps the program awake then.
    let query = datagrams.queryDue(observation, at: now, policy: policy)
    if let busy = Self.sound(observation) ?? Self.unreachable(observation, terms) { return busy }
    var plan = WatchPlan()
    plan.wakesAtOnce = !terms.asksFirst
    if let busy = unread.evaluate(observation, &plan, at: now, policy: policy) {
      lastTraffic = now
      return busy
    }
    if let busy = Self.abandoned(observation, terms) { return busy }
    if let busy = Self.answerDue(observation, terms, policy) ?? query
      ?? expected(observation, now, policy)
    {
      return busy
    }
    plan.full = observation.sources.compactMap { $0.role == .open && $0.isFull ? $0.line : nil }
    if !plan.disregarded.isEmpty { plan.wakesAtOnce = false }
    return .idle(plan)
  }

  /// What may come any moment.
  private mutating func expected(
    _ observation: Observation, _ now: Moment, _ policy: Policy
  ) -> Finding? {
    let session = datagrams.session(in: observation)
    if let busy = ticks.evaluate(observation, session, lastTraffic, at: now, policy: policy) { return busy }
    return sound.evaluate(observation, at: now, policy: policy)
  }
}
