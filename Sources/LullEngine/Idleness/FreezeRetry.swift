struct FreezeRetry: Sendable {
  private(set) var next: Moment?
  private(set) var last: (why: FreezeRefusal, detail: Detail)?
  private var refusals: Int64 = 0
  private var lookCost = Interval.zero
  /// No observation comes before this moment: observations must not take too much of the processor.
  private var floor = Moment(nanoseconds: .min)

  mutating func refused(
    _ why: FreezeRefusal, _ detail: Detail, now: Moment, first: Interval, longest: Interval,
    notBefore: Interval?
  ) {
    last = (why, detail)
    next = max(floor, now + max(first.doubled(refusals, atMost: longest), notBefore ?? .zero))
    refusals += 1
  }

  mutating func waited() { next = nil }

  mutating func standStill(_ time: Interval) { next = next.map { $0 + time } }

  /// The next try is only ever put off: the shell may have said that an earlier one would be in vain.
  mutating func wait(until moment: Moment) { next = max(next ?? moment, moment, floor) }

  /// A program is on its way to its wait, or to its first sleep. The floor of observations does not count: a
  /// crowd that is started at once raises it to half a minute.
  mutating func settle(until moment: Moment) { next = max(next ?? moment, moment) }

  mutating func looked(_ cost: Interval, _ turn: Turn) {
    lookCost = cost
    observed(.zero, turn)
  }

  mutating func observed(_ cost: Interval, _ turn: Turn) {
    let cost = cost + lookCost
    let crowd = max(1, Int64(turn.programs) / turn.policy.observationCrowd)
    let wait = cost.scaled(by: turn.policy.observationShare).scaled(by: crowd)
    floor = turn.now + min(wait, turn.policy.observationPause)
  }

  mutating func succeeded() {
    let costs = (floor, lookCost)
    self = FreezeRetry()
    (floor, lookCost) = costs
  }
}
