/// The clocks by which the entries of a ledger tell the moments of the engine.
public protocol LedgerClock {
  /// The moment on CLOCK_BOOTTIME, in nanoseconds.
  func boottime(at moment: Moment) -> Int64
  /// The engine's moment at this time of CLOCK_BOOTTIME, in nanoseconds.
  func moment(atBoottime nanoseconds: Int64) -> Moment
  /// CLOCK_BOOTTIME now, in nanoseconds.
  var boottimeNow: Int64 { get }
  /// The wall clock now, in nanoseconds since 1970.
  var wallNow: Int64 { get }
}

extension InstalledEntry {
  /// The entry of a program of the engine.
  public init(_ program: InstalledView, _ clock: some LedgerClock) {
    let state: InstalledState =
      switch program.memory {
      case .lost, .returning: .running
      case .boot, .waiting: .waiting
      case .ended: .ended
      case .quit: .quit
      }
    let past = program.past
    // The moment of a first run that need not wait may be before the machine was started.
    let since = past.keepAliveSince.map { max(0, clock.boottime(at: $0)) }
    self.init(
      name: program.name, state: state, cause: past.reason, restarts: Int64(past.crashes),
      due: past.starts.map { max(0, clock.boottime(at: $0)) },
      cameAt: past.cameAt.map(clock.boottime(at:)), keepAlive: past.keepAlive,
      lastRun: past.hasKeptAlive ? since : nil, since: past.hasKeptAlive ? nil : since,
      fetch: past.fetches?.interval, stretch: past.fetches?.stretch,
      fetchedAt: past.fetches.map { max(0, clock.boottime(at: $0.since)) })
  }

  /// The past that the engine is told.
  public func past(_ clock: some LedgerClock) -> InstalledPast {
    let fetched = fetchedAt.map(clock.moment(atBoottime:)) ?? clock.moment(atBoottime: clock.boottimeNow)
    return InstalledPast(
      reason: cause, crashes: Int(restarts), starts: due.map(clock.moment(atBoottime:)),
      cameAt: cameAt.map(clock.moment(atBoottime:)), keepAlive: keepAlive,
      keepAliveSince: (lastRun ?? since).map(clock.moment(atBoottime:)), hasKeptAlive: lastRun != nil,
      fetches: fetch.map { FetchWindow(interval: $0, since: fetched, stretch: stretch ?? 1) })
  }
}

extension NotificationEntry {
  /// The entry of a notification of the engine.
  public init(_ record: NotificationRecord, _ clock: some LedgerClock) {
    self.init(
      id: record.id, program: record.program, content: record.content, isScheduled: record.fires != nil,
      repeats: record.repeats?.rule, zone: record.repeats?.zone,
      first: record.first.map { Interval(nanoseconds: max(0, $0)) })
    switch record.fires {
    case .wall(let nanoseconds): date = Interval(nanoseconds: max(0, nanoseconds))
    case .engine(let moment):
      let boottime = clock.boottime(at: moment)
      due = max(0, boottime)
      // After a restart of the machine its clocks have nothing in common but the date.
      let wait = Interval(nanoseconds: boottime) - Interval(nanoseconds: clock.boottimeNow)
      date = max(.zero, Interval(nanoseconds: clock.wallNow) + wait)
    case nil: due = record.shown.map { max(0, clock.boottime(at: $0)) }
    }
  }

  /// The notification for the engine. `isSameBoot`: the machine has run on since the entry was written.
  /// `zone` reads the rules of a zone; a zone that the machine no longer knows is UTC.
  public func record(
    _ clock: some LedgerClock, isSameBoot: Bool, zone read: (String?) -> ZoneRules?
  ) -> NotificationRecord {
    var fires: NotificationRecord.FireTime?
    if isScheduled {
      fires = .wall(date?.nanoseconds ?? 0)
      if let due, isSameBoot { fires = .engine(clock.moment(atBoottime: due)) }
    }
    let shown = !isScheduled && isSameBoot ? due.map(clock.moment(atBoottime:)) : nil
    let repeats: Repetition? =
      switch repeats {
      case nil: nil
      case .every(let interval): .every(interval)
      case .calendar(let unit): .calendar(unit, read(zone) ?? .utc(name: zone))
      }
    return NotificationRecord(
      id: id, program: program, content: content, fires: fires, shown: shown, repeats: repeats,
      first: first?.nanoseconds)
  }
}
