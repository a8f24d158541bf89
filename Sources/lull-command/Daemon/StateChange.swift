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
    let status = try connection.ask(.status(name: name))
    if let report = try readable(StatusReport(status.items)).programs.first { return report }
    throw .unreadable(.missingField("kind=program"))
  }

  private static func reason(_ report: ProgramReport) -> String {
    if let lease = report.leases.first { return ": \(WhyText.lease(lease))" }
    return report.refused.flatMap { RefusalText.lines($0).first }.map { ": \($0)" } ?? ""
  }
}

/// A request for several programs, each with one text line: what was reached, or why not.
struct Tally {
  private let isAll: Bool
  private let isOne: Bool
  private var reached = 0
  private var failed = 0
  /// Why the output cannot be written. The request is carried out for the other programs all the same.
  private var outputFailure: Failure?

  init(_ names: [String], isAll: Bool) throws(Failure) {
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
    case .noDaemon, .connectionLost, .unreadable, .usage, .command, .script, .output, .mistakes, .status:
      throw failure
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
