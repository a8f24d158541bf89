import LullSystem
import LullWire

struct StateChange: ~Copyable {
  enum Goal {
    case awake, suspended, foreground, background

    func request(_ name: String) -> Request {
      switch self {
      case .awake: .wake(name: name)
      case .suspended: .suspend(name: name)
      case .foreground: .foreground(name: name)
      case .background: .background(name: name)
      }
    }

    func isReached(by state: String) -> Bool {
      switch self {
      case .awake: state != "suspended"
      case .suspended: state == "suspended"
      case .foreground: state == "active"
      case .background: state == "background" || state == "suspended"
      }
    }

    /// True for a program that gets no further: behind the lock or a call it is in the foreground, inactive.
    func isEnough(_ state: String) -> Bool { self == .foreground && state == "inactive" }

    var text: String {
      switch self {
      case .awake: "awake"
      case .suspended: "suspended"
      case .foreground: "in the foreground"
      case .background: "in the background"
      }
    }
  }

  /// The time to reach the state, in nanoseconds.
  private static let patience: Int64 = 1_000_000_000

  private let goal: Goal
  private var connection: Connection
  private var waits: [String] = []
  private var tally: Tally

  private init(_ goal: Goal, on connection: consuming Connection, tally: Tally) {
    self.connection = connection
    (self.goal, self.tally) = (goal, tally)
  }

  /// Throws the status when a program has not reached the state.
  static func make(_ programs: ProgramsArgument, _ goal: Goal) throws(Failure) {
    var connection = try Daemon.connect()
    let names = try programs.resolved(&connection)
    var change = StateChange(goal, on: connection, tally: try Tally(names, isAll: programs.isAll))
    for name in names { try change.ask(name) }
    do throws(Failure) { try change.waitForAll() } catch .connectionLost {
      // The next daemon knows nothing of what this one was asked for.
      change.connection = try change.connection.next()
      for name in change.takeWaits() { try change.ask(name) }
      try change.waitForAll()
    }
    try change.tally.end()
  }

  private mutating func ask(_ name: String) throws(Failure) {
    do throws(Failure) {
      let ok = try connection.ask(goal.request(name)).ok
      guard let state = ok[.state] else { throw .unreadable(.missingField(Key.state.rawValue)) }
      guard goal.isReached(by: state) else { return waits.append(name) }
      tell(name, state)
    } catch {
      try tally.failed(name, error)
    }
  }

  private mutating func takeWaits() -> [String] {
    defer { waits = [] }
    return waits
  }

  private mutating func tell(_ name: String, _ state: String) {
    tally.reached("\(Printable.text(name)): \(Printable.text(state))")
  }

  private mutating func waitForAll() throws(Failure) {
    guard !waits.isEmpty else { return }
    let deadline = Clock.boottime() + Self.patience
    do throws(Failure) {
      _ = try connection.ask(.log(follow: true, last: 0))
      // What was reached before the journal was followed is not told there.
      try look(isOver: false)
    } catch .refused {
      // A process of a program may not read the journal.
      return try look(isOver: true)
    }
    while !waits.isEmpty {
      var hasChanged = false
      while let notice = try connection.nextNotice() {
        if notice[.what] == "state", waits.contains(notice[.program] ?? "") { hasChanged = true }
      }
      if hasChanged { try look(isOver: false) }
      guard !waits.isEmpty, try connection.wait(until: deadline) else { return try look(isOver: true) }
    }
  }

  /// When the time is over, the reason is told of each that has not reached the state.
  private mutating func look(isOver: Bool) throws(Failure) {
    for name in takeWaits() {
      do throws(Failure) {
        let report = try Self.report(of: name, on: &connection)
        if goal.isReached(by: report.state) || isOver && goal.isEnough(report.state) {
          tell(name, report.state)
        } else if isOver {
          throw .failed("\(report.state), not \(goal.text)\(Self.reason(report))")
        } else {
          waits.append(name)
        }
      } catch .refused(.noSuchProgram, _) where goal == .suspended {
        // What is to end in place of sleeping (--exits-on-suspend) has done so.
        tally.reached("\(Printable.text(name)) ended")
      } catch {
        try tally.failed(name, error)
      }
    }
  }

  private static func report(
    of name: String, on connection: inout Connection
  ) throws(Failure) -> ProgramReport {
    let items = try connection.ask(.status(name: name)).items
    do {
      if let report = try StatusReport(items).programs.first { return report }
    } catch {
      throw .unreadable(error)
    }
    throw .unreadable(.missingField("kind=program"))
  }

  private static func reason(_ report: ProgramReport) -> String {
    if let lease = report.leases.first { return ": \(WhyText.lease(lease))" }
    return report.refused.flatMap { RefusalText.lines($0).first }.map { ": \($0)" } ?? ""
  }
}
