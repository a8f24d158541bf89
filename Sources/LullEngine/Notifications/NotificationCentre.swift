/// The local notifications of all programs (Background Execution, "Getting the User's Attention While in the
/// Background").
struct NotificationCentre: Sendable {
  enum Change: Sendable {
    case record(NotificationRecord)
    case drop(NotificationID, isScheduled: Bool)
  }

  /// The notifications that were shown and not answered yet, in the order of showing.
  private(set) var pending: [NotificationRecord] = []
  /// In the order of scheduling.
  private(set) var scheduled: [NotificationRecord] = []
  private(set) var nextFire = Moment.never
  /// The calls of the engine before this one, and the moment by which their programs must be back.
  private var restoredCalls: [NotificationID] = []
  private var callsEnd = Moment.never
  /// Wall clock minus the engine's clock.
  private(set) var offset: Int64 = 0
  private var changes: [Change] = []
  /// The notifications that were due and are not scheduled again.
  private var passed: [NotificationID] = []
  private var numbers: Numbers

  init(numbers: Numbers) { self.numbers = numbers }

  mutating func newID() -> NotificationID {
    NotificationID(numbers.next() ?? numbers.next(besides: (pending + scheduled).map(\.id.number)))
  }

  /// A clock that was set back must not leave a repeating notification far in the future.
  mutating func setOffset(_ offset: Int64, at now: Moment) {
    let isSetBack = (Moment(nanoseconds: self.offset) - Moment(nanoseconds: offset)) > .seconds(1)
    self.offset = offset
    if isSetBack {
      for index in scheduled.indices {
        guard let nearer = scheduled[index].nearer(wall: wall(now)) else { continue }
        scheduled[index].fires = nearer
        changes.append(.record(scheduled[index]))
      }
    }
    findNext()
  }

  /// Repeats without a zone of their own move to the same time of day in the new zone.
  mutating func setLocalZone(_ zone: ZoneRules, at now: Moment) {
    for index in scheduled.indices {
      guard case .calendar(let unit, let old) = scheduled[index].repeats, old.name == nil, old != zone,
        let first = scheduled[index].first
      else { continue }
      // The first date is a time of day of the zone in which it was asked for.
      let moved = zone.moment(ofSameLocal: first, in: old)
      scheduled[index].repeats = .calendar(unit, zone)
      scheduled[index].first = moved
      if let next = zone.next(unit, first: moved, after: wall(now)) { scheduled[index].fires = .wall(next) }
      changes.append(.record(scheduled[index]))
    }
    findNext()
  }

  func moment(_ time: NotificationRecord.FireTime) -> Moment {
    switch time {
    case .engine(let moment): moment
    case .wall(let nanoseconds): Moment(nanoseconds: nanoseconds) - Interval(nanoseconds: offset)
    }
  }

  /// The wall clock at a moment, in nanoseconds since 1970.
  func wall(_ moment: Moment) -> Int64 { (moment + Interval(nanoseconds: offset)).nanoseconds }

  func countScheduled(of program: String) -> Int { scheduled.count { $0.program == program } }

  mutating func schedule(_ item: NotificationRecord) {
    scheduled.append(item)
    changes.append(.record(item))
    findNext()
  }

  /// Returns the notifications of the same program that are over the limit: the oldest first, and calls after
  /// everything else.
  mutating func show(_ item: NotificationRecord, limit: Int) -> [NotificationID] {
    // A repeating notification that was not answered is shown once.
    pending.removeAll { $0.id == item.id }
    let same = pending.filter { $0.program == item.program && !$0.content.isQuestion }
    let expendable = same.filter { !$0.content.isCall } + same.filter(\.content.isCall)
    let surplus = expendable.prefix(max(0, same.count + 1 - limit)).map(\.id)
    for id in surplus { _ = takePending(id) }
    var item = item
    item.fires = nil
    pending.append(item)
    changes.append(.record(item))
    return surplus
  }

  /// A repeating notification is scheduled again for its next future time.
  mutating func takeDue(at now: Moment) -> [NotificationRecord] {
    guard nextFire <= now else { return [] }
    var (due, rest): ([NotificationRecord], [NotificationRecord]) = ([], [])
    for var item in scheduled {
      guard let fires = item.fires.map(moment), fires <= now else { rest.append(item); continue }
      due.append(item)
      item.fires = item.next(due: fires, now: now, wall: wall(now))
      // Beyond the end of the numbers the next time is none, or one that is over and would keep the shell
      // busy.
      if let next = item.fires, moment(next) > now {
        rest.append(item)
        changes.append(.record(item))
      } else {
        passed.append(item.id)
      }
    }
    scheduled = rest
    findNext()
    return due
  }

  mutating func takePending(_ id: NotificationID) -> NotificationRecord? {
    guard let index = pending.firstIndex(where: { $0.id == id }) else { return nil }
    changes.append(.drop(id, isScheduled: false))
    return pending.remove(at: index)
  }

  func questions(about program: String) -> [NotificationID] {
    pending.filter { $0.program == program && $0.content.isQuestion }.map(\.id)
  }

  func findPending(_ id: NotificationID) -> NotificationRecord? { pending.first { $0.id == id } }

  mutating func cancel(_ id: NotificationID?, of program: String) -> (count: Int, shown: [NotificationID]) {
    func isMeant(_ item: NotificationRecord) -> Bool {
      item.program == program && (id == nil || item.id == id) && !item.content.isQuestion
    }
    let waiting = scheduled.filter(isMeant).map(\.id)
    let shown = pending.filter(isMeant).map(\.id)
    dropScheduled(waiting)
    for id in shown { _ = takePending(id) }
    return (waiting.count + shown.count { !waiting.contains($0) }, shown)
  }

  private mutating func dropScheduled(_ ids: [NotificationID]) {
    guard !ids.isEmpty else { return }
    scheduled.removeAll { ids.contains($0.id) }
    changes += ids.map { .drop($0, isScheduled: true) }
    findNext()
  }

  private mutating func findNext() {
    nextFire = scheduled.reduce(.never) { min($0, $1.fires.map(moment) ?? .never) }
  }
}

extension NotificationCentre {
  mutating func takeCalls(of program: String) -> [NotificationID] {
    let calls = pending.filter { $0.content.isCall && $0.program == program }.map(\.id)
    for id in calls { _ = takePending(id) }
    return calls
  }

  /// Drops the oldest first, and shown ones before those that wait. Returns the shown ones.
  mutating func trim(to limit: Int, hasEnded: (String) -> Bool) -> [NotificationID] {
    guard pending.count + scheduled.count > limit else { return [] }
    let shown = pending.filter { hasEnded($0.program) }.map(\.id)
    let waiting = scheduled.filter { hasEnded($0.program) }.map(\.id)
    let surplus = max(0, shown.count + waiting.count - limit)
    let dropped = Array(shown.prefix(surplus))
    for id in dropped { _ = takePending(id) }
    dropScheduled(Array(waiting.prefix(surplus - dropped.count)))
    return dropped
  }

  mutating func rename(_ old: String, to name: String) {
    for index in pending.indices where pending[index].program == old {
      pending[index].program = name
      changes.append(.record(pending[index]))
    }
    for index in scheduled.indices where scheduled[index].program == old {
      scheduled[index].program = name
      changes.append(.record(scheduled[index]))
    }
  }

  var deadline: Moment { min(nextFire, callsEnd) }

  /// Returns false when the notification is there already. The program of a shown call must be back by
  /// `limit`.
  mutating func restore(_ item: NotificationRecord, limit: Moment) -> Bool {
    let others = item.fires == nil ? pending : scheduled
    guard !others.contains(where: { $0.id == item.id }) else { return false }
    numbers.skip(through: item.id.number)
    changes.append(.record(item))
    if item.fires == nil { pending.append(item) } else { scheduled.append(item) }
    if item.content.isCall, item.fires == nil {
      restoredCalls.append(item.id)
      callsEnd = limit
    }
    findNext()
    return true
  }

  mutating func takeLostCalls(at now: Moment, hasEnded: (String) -> Bool) -> [NotificationID] {
    guard callsEnd <= now else { return [] }
    let calls = pending.filter { restoredCalls.contains($0.id) && hasEnded($0.program) }.map(\.id)
    (restoredCalls, callsEnd) = ([], .never)
    for id in calls { _ = takePending(id) }
    return calls
  }

  /// The changes since the last call, in order. A notification that was due is dropped only at the end of a
  /// turn, after it was told as shown: a supervisor that dies in between must not lose it.
  mutating func takeChanges(atEnd isEnd: Bool) -> [Change] {
    if isEnd, !passed.isEmpty {
      changes += passed.map { .drop($0, isScheduled: true) }
      passed = []
    }
    defer { changes = [] }
    return changes
  }
}
