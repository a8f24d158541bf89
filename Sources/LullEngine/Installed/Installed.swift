/// The installed programs, in the order of their names.
struct Installed: Sendable {
  private(set) var programs: [InstalledProgram] = []
  /// The next moment at which one of them has something to do by itself.
  private(set) var deadline = Moment.never
  /// The next moment at which one of them is started for its keep-alive.
  private(set) var alarm = Moment.never
  /// True when one is due or starting, or has changed: only then do they take time of a turn.
  private(set) var isBusy = false
  /// What the next engine is to know has changed.
  private var hasNews = false

  func find(_ name: String) -> InstalledProgram? { place(name).map { programs[$0] } }

  private func place(_ name: String) -> Int? {
    let place = programs.firstPlace { $0.name >= name }
    return place < programs.count && programs[place].name == name ? place : nil
  }

  mutating func insert(_ program: InstalledProgram) {
    programs.insert(program, at: programs.firstPlace { $0.name >= program.name })
    (isBusy, hasNews) = (true, true)
  }

  mutating func remove(_ name: String) {
    guard let place = place(name) else { return }
    programs.remove(at: place)
    (isBusy, hasNews) = (true, true)
  }

  /// Changes a program; nil when none of that name is installed.
  @discardableResult
  mutating func update<Result>(_ name: String, _ body: (inout InstalledProgram) -> Result) -> Result? {
    guard let place = place(name) else { return nil }
    let (memory, past) = (programs[place].memory, programs[place].past)
    let result = body(&programs[place])
    if programs[place].memory != memory || programs[place].past != past { hasNews = true }
    isBusy = true
    return result
  }

  /// Changes each program that needs it.
  mutating func updateEach(_ body: (inout InstalledProgram) -> Void) {
    for program in programs { update(program.name, body) }
  }

  /// Sets the deadline anew, after all that was to be done has been done.
  mutating func settle() {
    (deadline, alarm) = (.never, .never)
    isBusy = false
    for program in programs {
      (deadline, alarm) = (min(deadline, program.deadline), min(alarm, program.alarm))
      isBusy = isBusy || program.isStarting
      if case .due = program.stage { isBusy = true }
    }
  }

  /// True once after what the next engine is to know has changed.
  mutating func takeNews() -> Bool {
    defer { hasNews = false }
    return hasNews
  }

  /// The number of programs that are starting.
  var starting: Int { programs.reduce(0) { $0 + ($1.isStarting ? 1 : 0) } }

  /// The program whose turn it is: what came for one goes before a crash, and a crash before the boot.
  func next() -> (name: String, reason: LaunchReason)? {
    var next: (name: String, reason: LaunchReason)?
    for program in programs {
      guard case .due(let reason) = program.stage else { continue }
      if next.map({ reason.rank < $0.reason.rank }) ?? true { next = (program.name, reason) }
    }
    return next
  }
}

extension LaunchReason {
  /// The order of those that wait for their turn.
  fileprivate var rank: Int {
    switch self {
    case .user, .url, .notification, .data: 0
    case .keepalive: 1
    case .crash: 2
    case .boot: 3
    }
  }
}
