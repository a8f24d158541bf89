import LullEngine

/// "A fetch runs in the background, at most once in the time that the program asked for, and never without a
/// route; it has 30 s." None is forgotten: with a route it comes after the longest gap at the latest, also
/// that of an installed program that has ended.
final class FetchTimes: Rule {
  static let name = "fetch-times"
  private(set) var sightings = 0
  private var intervals: [AppID: Interval] = [:]
  private var last: [AppID: Moment] = [:]
  /// The programs that have fetched since they registered, or began to speak.
  private var hasRun: Set<AppID> = []
  private var isOnline = true

  func event(_ event: Event?, _ ledger: Ledger) throws(Violation) {
    if case .surrounding(.online(let isOn)) = event { isOnline = isOn }
  }

  func answer(_ answer: Engine.Answer, _ ledger: Ledger) throws(Violation) {
    switch (ledger.request, answer) {
    case (.register(let registration), .registered(let app, _)):
      set(registration.settings.fetch, of: app, ledger)
    case (.adopt(let app, _), .registered): hasRun.remove(app)
    case (.fetch(let app, let interval, since: _), .done): set(interval, of: app, ledger)
    default: break
    }
  }

  private func set(_ interval: Interval?, of app: AppID, _ ledger: Ledger) {
    guard let interval else { return (intervals[app], last[app]) = (nil, nil) }
    intervals[app] = max(interval, ledger.policy.fetchMinimum)
    last[app] = last[app] ?? ledger.now
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    switch effect {
    case .runFetch(let app, _): try ran(app, ledger)
    case .note(_, .fetchDue(let name)): try require(isOnline, "\(name) is started without a route")
    case .note(let app?, .left): intervals[app] = nil
    case .forget(let app):
      (intervals[app], last[app]) = (nil, nil)
      hasRun.remove(app)
    default: break
    }
  }

  private func ran(_ app: AppID, _ ledger: Ledger) throws(Violation) {
    guard let record = ledger[app] else { return }
    sightings += 1
    try require(record.isBehind && record.isStaying && record.isLaunched, "\(app) fetches in the foreground")
    try require(record.message == nil, "\(app) fetches before its message returned")
    try require(!record.holds(record.fetch, at: ledger.now), "\(app) fetches twice at once")
    defer { last[app] = ledger.now }
    // The first fetch may be the one that it was launched for, or go by the interval of its last life.
    guard !hasRun.insert(app).inserted, let interval = intervals[app], let last = last[app] else { return }
    try require(isOnline, "\(app) fetches without a route")
    try require(ledger.now - last >= interval, "\(app) fetches after \((ledger.now - last).seconds) s")
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    guard step.isTick, step.isComplete, isOnline else { return }
    let policy = ledger.policy
    for case let record? in ledger.records where record.isBehind && record.isStaying && record.isLaunched {
      guard let interval = intervals[record.id], let last = last[record.id], record.message == nil,
        record.fetch == nil
      else { continue }
      let longest = interval.scaled(by: policy.fetchStretch).scaled(by: policy.fetchOnBattery)
      let due = last + longest + max(policy.keepAliveMinimum, longest.scaled(by: 1, over: 4))
      try require(due > ledger.now, "\(record.id): its fetch is forgotten")
    }
  }
}

extension Effect {
  /// True when a program fetches, or is started for it: then others run with it.
  var isFetch: Bool {
    switch self {
    case .runFetch, .note(_, .fetchDue): true
    default: false
    }
  }
}
