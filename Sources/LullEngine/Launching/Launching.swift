/// The programs that can be started again, in the order of their names.
struct Launching: Sendable {
  private(set) var entries: [LaunchEntry] = []
  private(set) var deadline = Moment.never
  private(set) var alarm = Moment.never
  /// True when an entry is due or starting, or has changed: only then do the entries take time of a turn.
  private(set) var isBusy = false
  private var hasNews = false

  func find(_ name: String) -> LaunchEntry? { place(name).map { entries[$0] } }

  private func place(_ name: String) -> Int? {
    let place = entries.firstPlace { $0.name >= name }
    return place < entries.count && entries[place].name == name ? place : nil
  }

  @discardableResult
  mutating func update<Result>(_ name: String, _ body: (inout LaunchEntry) -> Result) -> Result? {
    place(name).map { update(at: $0, body) }
  }

  mutating func updateOrInsert<Result>(_ name: String, _ body: (inout LaunchEntry) -> Result) -> Result {
    let place = place(name) ?? insert(LaunchEntry(name: name))
    return update(at: place, body)
  }

  private mutating func insert(_ entry: LaunchEntry) -> Int {
    let place = entries.firstPlace { $0.name >= entry.name }
    entries.insert(entry, at: place)
    return place
  }

  private mutating func update<Result>(at place: Int, _ body: (inout LaunchEntry) -> Result) -> Result {
    let old = entries[place]
    let result = body(&entries[place])
    isBusy = true
    guard old.isInstalled || entries[place].isInstalled else { return result }
    let new = entries[place]
    if (old.isInstalled, old.memory) != (new.isInstalled, new.memory) || old.past != new.past {
      hasNews = true
    }
    return result
  }

  mutating func surroundingsChanged() { isBusy = true }

  mutating func updateEach(_ body: (inout LaunchEntry) -> Void) {
    for place in entries.indices { update(at: place, body) }
  }

  mutating func settle(_ turn: Turn) {
    entries.removeAll { !$0.isNeeded }
    (deadline, alarm) = (.never, .never)
    isBusy = false
    for entry in entries {
      deadline = min(deadline, entry.deadline, entry.fetchDue(turn))
      alarm = min(alarm, entry.alarm)
      isBusy = isBusy || entry.isStarting
      if case .due = entry.state { isBusy = true }
    }
  }

  mutating func takeNews() -> Bool {
    defer { hasNews = false }
    return hasNews
  }

  /// The program whose turn it is, if others that are starting leave it room. A program for which something
  /// came goes before a crash, and a crash before the boot.
  func next(_ policy: Policy) -> (name: String, launch: Launch)? {
    var next: (name: String, launch: Launch)?
    for entry in entries {
      guard case .due(let launch) = entry.state else { continue }
      if next.map({ launch.reason.rank < $0.launch.reason.rank }) ?? true { next = (entry.name, launch) }
    }
    guard let next else { return nil }
    let (count, most) =
      next.launch.reason.isUrgent
      ? (entries.count { $0.launchEnds != nil }, policy.launchesAtOnce)
      : (entries.count(where: \.isStarting), policy.startsAtOnce)
    return count < most ? next : nil
  }
}

extension LaunchReason {
  fileprivate var rank: Int {
    switch self {
    case .user, .url, .notification, .push, .data: 0
    case .keepalive, .fetch: 1
    case .crash: 2
    case .boot: 3
    }
  }

  var isUrgent: Bool { rank == 0 }
  var isOfUser: Bool { isUrgent && self != .data && self != .push }
}
