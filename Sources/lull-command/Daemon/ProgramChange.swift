import LullChannel
import LullSystem
import LullTransfers
import LullWire

/// A change that is asked for several programs: each is waited for until it has reached its state or its end.
/// A daemon that takes the place of this one knows nothing of it, and is asked again.
struct ProgramChange: ~Copyable {
  private struct Wait {
    let name: String
    /// The moment of the first request.
    var since: Int64 = 0
    /// True once a daemon has begun it, and once the daemon of this connection has.
    var wasBegun = false
    var isBegun = false
    /// The moment at which the program is killed; nil for one that was killed at once, or is not to end.
    var killedAt: Int64?
    var deadline: Int64 = 0
  }

  /// The time to reach a state, and the time that the kernel may take to end what was killed, in nanoseconds.
  private static let patience: Int64 = 1_000_000_000, killing: Int64 = 10_000_000_000
  /// The time by which a moment of the daemon may differ from this process's, in nanoseconds.
  private static let inaccuracy: Int64 = 250_000_000
  private static let mostRestarts = 32
  private static let unknown = EndWords.text(nil, nil)

  private let goal: ChangeGoal
  private let isAll: Bool
  private var connection: Connection
  private var tally: Tally
  private var waits: [Wait]
  private var restarts = 0
  private var isFollowing = false
  /// The beginning, in seconds of the wall clock.
  private let begunAt = Double(Clock.realtime()) / 1e9

  static func make(_ programs: ProgramsArgument, _ goal: ChangeGoal) throws(Failure) {
    var connection = try goal.isEnd ? Daemon.connectStarting(boots: false) : Daemon.connect()
    let names = try programs.resolved(&connection)
    try make(names, goal, isAll: programs.isAll, on: connection)
  }

  /// Where `isAll`, a program that has ended meanwhile is passed over.
  static func make(
    _ names: [String], _ goal: ChangeGoal, isAll: Bool = false, on connection: consuming Connection
  ) throws(Failure) {
    let tally = try Tally(names, isAll)
    var change = ProgramChange(goal, names, isAll: isAll, connection: connection, tally: tally)
    try change.run()
    try change.tally.end()
  }

  private init(
    _ goal: ChangeGoal, _ names: [String], isAll: Bool, connection: consuming Connection, tally: Tally
  ) {
    (self.goal, self.isAll, self.tally) = (goal, isAll, tally)
    self.connection = connection
    waits = names.map { Wait(name: $0) }
  }

  private mutating func run() throws(Failure) {
    while !waits.isEmpty {
      do throws(Failure) {
        while let place = waits.firstIndex(where: { !$0.isBegun }) { try ask(place) }
        try hear()
      } catch .connectionLost {
        restarts += 1
        guard restarts <= Self.mostRestarts else { throw .connectionLost }
        connection = try connection.next()
        isFollowing = false
        for place in waits.indices { waits[place].isBegun = false }
      }
    }
  }

  private mutating func ask(_ place: Int) throws(Failure) {
    if waits[place].since == 0 { waits[place].since = Clock.boottime() }
    let wait = waits[place]
    do throws(Failure) {
      // A program that was asked to end under the daemon before is not asked twice.
      if restarts > 0, goal.isEnd, let end = try Self.end(of: wait.name, after: begunAt, &connection) {
        return reached(wait.name, how(end))
      }
      try begin(place, connection.ask(goal.request(wait.name)).ok)
    } catch .connectionLost {
      throw .connectionLost
    } catch .refused(.noSuchProgram, _) where wait.wasBegun && goal.isEnd {
      reached(wait.name, Self.unknown)
    } catch {
      if !isAll, let text = try words(forEnded: wait.name, error) {
        take(wait.name)
        tally.reached(text)
      } else {
        try fail(wait.name, error)
      }
    }
  }

  private mutating func begin(_ place: Int, _ ok: Message) throws(Failure) {
    let (name, now) = (waits[place].name, Clock.boottime())
    (waits[place].isBegun, waits[place].wasBegun) = (true, true)
    guard !goal.isEnd else {
      // Its keeper has to take the status and to end; one that was stopped is continued by that.
      _ = try? KeeperConnection(name)
      let time = try readable(ok.number(ifPresent: .remainingSeconds))
      waits[place].killedAt = time.map { now + Int64($0 * 1e9) }
      return waits[place].deadline = (waits[place].killedAt ?? now) + Self.killing
    }
    let state = OpenWord<ApplicationState>(try readable(ok.string(.state)))
    waits[place].deadline = now + Self.patience
    if goal.isReached(by: state.known) { reached(name, state.text) }
  }

  private mutating func hear() throws(Failure) {
    try follow()
    guard let next = waits.min(by: { $0.deadline < $1.deadline }), try !takeNotices() else { return }
    guard try !connection.wait(until: next.deadline) else { return }
    guard goal.isEnd else { return try look(next.name, isOver: true) }
    do throws(Failure) {
      // A daemon that hangs says so here.
      _ = try connection.ask(.status(name: next.name))
      try fail(next.name, .failed("\(next.name) was killed and has not ended; a process hangs"))
    } catch .refused(.noSuchProgram, _) {
      // The notice stood before the refusal.
      if try takeNotices() { return }
      let end = try Self.end(of: next.name, after: begunAt, &connection)
      if let end { reached(next.name, how(end)) } else { reached(next.name, Self.unknown) }
    }
  }

  /// True when something was told that is waited for.
  private mutating func takeNotices() throws(Failure) -> Bool {
    var wasTold = false
    while let notice = try connection.nextNotice() {
      let name = notice[goal.isEnd ? .name : .program]
      guard let wait = waits.first(where: { $0.name == name }) else { continue }
      if goal.isEnd, notice.notice == .ended {
        reached(wait.name, text(notice, wait))
      } else if !goal.isEnd, notice[.what] == JournalWord.state.rawValue {
        try look(wait.name, isOver: false)
      } else {
        continue
      }
      wasTold = true
    }
    return wasTold
  }

  private mutating func reached(_ name: String, _ words: String) {
    take(name)
    if case .quit = goal { TransferStore.ofThisUser?.cancelAll(of: name) }
    tally.reached(Printable.text(name) + (goal.isEnd ? " " : ": ") + Printable.text(words))
  }

  private mutating func fail(_ name: String, _ failure: Failure) throws(Failure) {
    take(name)
    try tally.failed(name, failure)
  }

  private mutating func take(_ name: String) { waits.removeAll { $0.name == name } }
}

// MARK: States

extension ProgramChange {
  private mutating func follow() throws(Failure) {
    guard !goal.isEnd, !isFollowing, !waits.isEmpty else { return }
    isFollowing = true
    var isOver = false
    do throws(Failure) { _ = try connection.ask(.log(follow: true, last: 0)) } catch .refused {
      // A process of a program may not read the journal.
      isOver = true
    }
    // What was reached before the journal was followed is not told there.
    for wait in waits { try look(wait.name, isOver: isOver) }
  }

  private mutating func look(_ name: String, isOver: Bool) throws(Failure) {
    do throws(Failure) {
      let items = try connection.ask(.status(name: name)).items
      guard let report = try readable(StatusReport(items)).programs.first else {
        throw .unreadable(.missingField("kind=program"))
      }
      let state = report.state
      if goal.isReached(by: state.known) || isOver && goal.isEnough(state.known) {
        reached(name, state.text)
      } else if isOver {
        throw .failed("\(state.text), not \(goal.text)\(Self.reason(report))")
      }
    } catch .refused(.noSuchProgram, _) where goal == .suspended {
      // What is to end in place of sleeping (--exits-on-suspend) has done so.
      take(name)
      tally.reached("\(Printable.text(name)) ended")
    } catch {
      if error == .connectionLost { throw error }
      try fail(name, error)
    }
  }

  private static func reason(_ report: ProgramReport) -> String {
    if let lease = report.leases.first { return ": \(WhyText.lease(lease))" }
    return report.refused.flatMap { RefusalText.lines($0).first }.map { ": \($0)" } ?? ""
  }
}

// MARK: Ends

extension ProgramChange {
  /// The end of a program that the daemon remembers; nil when it remembers none since then, in seconds of the
  /// wall clock.
  static func end(
    of name: String, after moment: Double, _ connection: inout Connection
  ) throws(Failure) -> EndedItem? {
    let ends = try connection.askIfKnown(.status(name: name, all: true))?.records(EndedItem.self)
    return ends?.first.flatMap { $0.at >= moment ? $0 : nil }
  }

  /// The sentence for a program that is to be quit and has ended already; nil for another failure, and for
  /// one that nobody knows, or that has left and goes on.
  private mutating func words(forEnded name: String, _ failure: Failure) throws(Failure) -> String? {
    guard case .quit = goal, case .refused(.noSuchProgram, let text) = failure else { return nil }
    if UnknownProgram.isStartable(name) { return text }
    do throws(Failure) {
      let end = try Self.end(of: name, after: 0, &connection)
      return end.flatMap { $0.hasLeft ? nil : "\(name) does not run: it \(EndedText.how($0))" }
    } catch .refused {
      return nil
    }
  }

  private func how(_ end: EndedItem) -> String { EndedText.how(end, asked: goal.reason) }

  private func text(_ notice: Message, _ wait: Wait) -> String {
    guard let end = try? EndedItem(notice) else {
      return InstalledProgram.holds(wait.name)
        ? "does not run, and is not started again until \"lull start \(wait.name)\""
        : "does not run; its kept lines are closed"
    }
    let wasKilled = notice[.killed] == "true"
    return (wasKilled ? killed(wait) : nil) ?? how(end)
  }

  /// The words for a program that was killed; nil for one on the library that has done what it had to before
  /// its time was over.
  private func killed(_ wait: Wait) -> String? {
    let words = goal == .purge ? "was purged" : "was killed"
    guard let killedAt = wait.killedAt else { return words }
    let now = Clock.boottime()
    guard now + Self.inaccuracy >= killedAt else { return goal == .purge ? words : nil }
    let time = (Double(now - wait.since) / 1e9).rounded()
    return "\(words) after \(DurationText.text(seconds: time))"
  }
}

enum ChangeGoal: Equatable {
  case awake, suspended, foreground, background
  case quit(now: Bool)
  case restart(keepsLines: Bool)
  case purge

  func request(_ name: String) -> Request {
    switch self {
    case .awake: .wake(name: name)
    case .suspended: .suspend(name: name)
    case .foreground: .foreground(name: name)
    case .background: .background(name: name)
    case .quit(let isAtOnce): .quit(name: name, now: isAtOnce)
    case .restart(let keepsLines): .quit(name: name, now: false, keepLines: keepsLines, restart: true)
    case .purge: .purge(name: name)
    }
  }

  /// Nil for a state.
  var reason: EndReason? {
    switch self {
    case .quit: .quit
    case .restart: .restarted
    case .purge: .purgedByOperator
    case .awake, .suspended, .foreground, .background: nil
    }
  }

  var isEnd: Bool { reason != nil }

  func isReached(by state: ApplicationState?) -> Bool {
    switch self {
    case .awake: state != .suspended
    case .suspended: state == .suspended
    case .foreground: state == .active
    case .background: state == .background || state == .suspended
    case .quit, .restart, .purge: false
    }
  }

  /// True for a program that gets no further: behind the lock or a call it is in the foreground, inactive.
  func isEnough(_ state: ApplicationState?) -> Bool { self == .foreground && state == .inactive }

  /// For a state.
  var text: String {
    switch self {
    case .foreground, .background: "in the \(self)"
    default: "\(self)"
    }
  }
}

/// One text line for each of several programs: what was reached, or why not.
struct Tally {
  private let isAll: Bool
  private let isOne: Bool
  private var reached = 0
  private var failed = 0
  /// Why the output cannot be written. The request is carried out for the other programs all the same.
  private var outputFailure: Failure?

  init(_ names: [String], _ isAll: Bool) throws(Failure) {
    (self.isAll, isOne) = (isAll, names.count == 1)
    if names.isEmpty { try Output.write("no program runs\n") }
  }

  mutating func reached(_ text: String) {
    reached += 1
    guard outputFailure == nil else { return }
    do throws(Failure) { try Output.say(text + "\n") } catch { outputFailure = error }
  }

  mutating func failed(_ name: String, _ failure: Failure) throws(Failure) {
    switch failure {
    case .refused(.noSuchProgram, _) where isAll, .refused(.unsupported, _) where isAll: return
    case .refused(.noSuchProgram, let message), .refused(.badValue, let message): complain(message)
    case .refused(_, let message), .failed(let message):
      complain(isOne || message.hasPrefix("\(name) ") ? message : "\(name): \(message)")
    default: throw failure
    }
  }

  private mutating func complain(_ message: String) {
    failed += 1
    Output.complain(message)
  }

  /// Throws the status to exit with unless nothing has failed: 2 when others were reached. What could not
  /// be written is a failure of the whole.
  func end() throws(Failure) {
    if let outputFailure { throw outputFailure }
    if failed > 0 { throw .status(reached > 0 ? 2 : 1) }
  }
}
