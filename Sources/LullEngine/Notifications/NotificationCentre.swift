/// The local notifications of all programs (Background Execution, "Getting the User's Attention While in the
/// Background").
struct NotificationCentre: Sendable {
  struct Item: Sendable {
    let id: NotificationID
    let app: AppID
    let content: LocalNotification
    var fires: FireTime
    let repeats: Interval?
  }

  enum FireTime: Sendable {
    case wall(Int64)
    case engine(Moment)
  }

  /// The notifications that were shown and not answered yet, in the order of showing.
  private(set) var pending: [Item] = []
  /// The notifications that wait for their time, in the order of scheduling.
  private(set) var scheduled: [Item] = []
  private(set) var nextFire = Moment.never
  /// Wall clock minus the engine's clock.
  private var offset: Int64 = 0
  private var numbers: Numbers

  init(numbers: Numbers) { self.numbers = numbers }

  mutating func newID() -> NotificationID {
    NotificationID(numbers.next() ?? numbers.next(besides: (pending + scheduled).map(\.id.number)))
  }

  mutating func setOffset(_ offset: Int64) {
    self.offset = offset
    findNext()
  }

  func moment(_ time: FireTime) -> Moment {
    switch time {
    case .engine(let moment): moment
    case .wall(let nanoseconds): Moment(nanoseconds: nanoseconds) - Interval(nanoseconds: offset)
    }
  }

  func countScheduled(of app: AppID) -> Int { scheduled.count { $0.app == app } }

  mutating func schedule(_ item: Item) {
    scheduled.append(item)
    findNext()
  }

  /// Adds a shown notification. Returns those of the same program that are over the limit, oldest first.
  mutating func show(_ item: Item, limit: Int) -> [NotificationID] {
    // A repeating notification that was not answered is shown once.
    pending.removeAll { $0.id == item.id }
    let sameApp = pending.filter { $0.app == item.app }.map(\.id)
    let surplus = sameApp.prefix(max(0, sameApp.count + 1 - limit))
    pending.removeAll { surplus.contains($0.id) }
    pending.append(item)
    return Array(surplus)
  }

  /// Takes what is due out of the schedule. A repeating notification is scheduled again for its next future
  /// time.
  mutating func takeDue(at now: Moment) -> [Item] {
    guard nextFire <= now else { return [] }
    var due: [Item] = []
    var rest: [Item] = []
    for var item in scheduled {
      let fires = moment(item.fires)
      guard fires <= now else { rest.append(item); continue }
      due.append(item)
      guard let repeats = item.repeats else { continue }
      let missed = min((now - fires).nanoseconds / max(1, repeats.nanoseconds), .max - 1) + 1
      item.fires = later(item.fires, by: repeats.scaled(by: missed))
      // Past the ends of the numbers there is no next time, and a time that is over would keep the shell
      // busy.
      if moment(item.fires) > now { rest.append(item) }
    }
    scheduled = rest
    findNext()
    return due
  }

  private func later(_ time: FireTime, by interval: Interval) -> FireTime {
    switch time {
    case .engine(let moment): .engine(moment + interval)
    case .wall(let nanoseconds): .wall((Moment(nanoseconds: nanoseconds) + interval).nanoseconds)
    }
  }

  mutating func takePending(_ id: NotificationID) -> Item? {
    pending.firstIndex { $0.id == id }.map { pending.remove(at: $0) }
  }

  func findPending(_ id: NotificationID) -> Item? { pending.first { $0.id == id } }

  /// Cancels a scheduled notification of a program, or all of them. Returns the number cancelled.
  mutating func cancel(_ id: NotificationID?, of app: AppID) -> Int {
    let before = scheduled.count
    scheduled.removeAll { $0.app == app && (id == nil || $0.id == id) }
    findNext()
    return before - scheduled.count
  }

  /// Forgets a program. Returns its shown notifications, which have to be withdrawn.
  mutating func removeAll(of app: AppID) -> [NotificationID] {
    guard !pending.isEmpty || !scheduled.isEmpty else { return [] }
    let shown = pending.filter { $0.app == app }.map(\.id)
    pending.removeAll { $0.app == app }
    scheduled.removeAll { $0.app == app }
    findNext()
    return shown
  }

  private mutating func findNext() {
    nextFire = scheduled.reduce(.never) { min($0, moment($1.fires)) }
  }
}
