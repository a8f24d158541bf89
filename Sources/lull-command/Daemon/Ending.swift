import LullChannel
import LullSystem
import LullWire

struct Ending: ~Copyable {
  enum Manner {
    case quit(now: Bool)
    case restart(keepsLines: Bool)
    case purge

    fileprivate func request(_ name: String) -> Request {
      switch self {
      case .quit(let isAtOnce): .quit(name: name, now: isAtOnce)
      case .restart(let keepsLines): .quit(name: name, now: false, keepLines: keepsLines, restart: true)
      case .purge: .purge(name: name)
      }
    }

    fileprivate var reason: String {
      switch self {
      case .quit: "quit"
      case .restart: "restarted"
      case .purge: "purged-by-operator"
      }
    }

    fileprivate var killed: String {
      switch self {
      case .quit, .restart: "killed"
      case .purge: "purged"
      }
    }
  }

  /// The time that the kernel may take to end what was killed, in nanoseconds.
  private static let patience: Int64 = 10_000_000_000
  /// The time by which a moment of the daemon may differ from this process's, in nanoseconds.
  private static let inaccuracy: Int64 = 250_000_000

  private static let unknown = EndWords.text(nil, nil)

  private static let mostRestarts = 32

  private typealias End = (name: String, Result<String, Failure>)

  private struct Wait {
    let name: String
    /// The moment of the request, and the one at which the program is killed; nil for one that was killed at
    /// once.
    let since: Int64, killedAt: Int64?
    let deadline: Int64
  }

  private var connection: Connection
  private let manner: Manner
  private var waits: [Wait] = []
  private var restarts = 0
  /// Programs that have ended while the daemon was restarted, each with its end in words.
  private var lost: [(name: String, words: String)] = []
  /// The beginning, in seconds of the wall clock.
  private let begunAt = Double(Clock.realtime()) / 1e9

  private init(_ connection: consuming Connection, _ manner: Manner) {
    self.connection = connection
    self.manner = manner
  }

  static func end(_ programs: ProgramsArgument, _ manner: Manner) throws(Failure) {
    var connection = try Daemon.connectStarting(boots: false)
    let names = try programs.resolved(&connection)
    try end(names, isAll: programs.isAll, manner, on: connection)
  }

  /// Where `isAll`, a program that has ended meanwhile is passed over.
  static func end(
    _ names: [String], isAll: Bool, _ manner: Manner, on connection: consuming Connection
  ) throws(Failure) {
    var tally = try Tally(names, isAll: isAll)
    var ending = Ending(connection, manner)
    for name in names {
      do throws(Failure) { try ending.askFirst(name) } catch {
        if !isAll, let text = try ending.words(forEnded: name, error) {
          tally.reached(text)
        } else {
          try tally.failed(name, error)
        }
      }
    }
    while let (name, result) = try ending.next() {
      do throws(Failure) {
        tally.reached("\(Printable.text(name)) \(try result.get())")
      } catch {
        try tally.failed(name, error)
      }
    }
    try tally.end()
  }

  private mutating func askFirst(_ name: String) throws(Failure) {
    let now = Clock.boottime()
    do throws(Failure) { try ask(name, since: now) } catch .connectionLost {
      try askAgain(unanswered: name, since: now)
    }
  }

  /// The sentence for a program that is to be quit and has ended already; nil for another failure, and for
  /// one that nobody knows, or that has left and goes on.
  private mutating func words(forEnded name: String, _ failure: Failure) throws(Failure) -> String? {
    guard case .quit = manner, case .refused(.noSuchProgram, let text) = failure else { return nil }
    if UnknownProgram.isStartable(name) { return text }
    do throws(Failure) {
      let ends = try connection.ask(.status(name: name, all: true)).records(EndedItem.self)
      guard let end = ends.first, !end.hasLeft else { return nil }
      return "\(name) does not run: it \(EndedText.how(end))"
    } catch .refused {
      return nil
    } catch .connectionLost {
      try askAgain()
      return try words(forEnded: name, failure)
    }
  }

  private mutating func ask(_ name: String, since: Int64) throws(Failure) {
    let ok = try connection.ask(manner.request(name)).ok
    // Its keeper has to take the status and to end; one that was stopped is continued by that.
    _ = try? KeeperConnection(name)
    let time = try readable(ok.number(ifPresent: .remainingSeconds))
    let now = Clock.boottime()
    let killedAt = time.map { now + Int64($0 * 1e9) }
    let deadline = (killedAt ?? now) + Self.patience
    waits.append(Wait(name: name, since: since, killedAt: killedAt, deadline: deadline))
  }

  private mutating func next() throws(Failure) -> End? {
    while lost.isEmpty, let latest = waits.min(by: { $0.deadline < $1.deadline }) {
      do throws(Failure) {
        if let end = try told() { return end }
        if try connection.wait(until: latest.deadline) { continue }
        // A daemon that hangs says so here.
        _ = try connection.ask(.status(name: latest.name))
      } catch .connectionLost {
        try askAgain()
        continue
      } catch .refused(.noSuchProgram, _) {
        // The notice stood before the refusal.
        if let end = try told() { return end }
        _ = take(latest.name)
        let end = try Self.end(of: latest.name, after: begunAt, &connection)
        return (latest.name, .success(end.map { EndedText.how($0, asked: manner.reason) } ?? Self.unknown))
      }
      _ = take(latest.name)
      return (latest.name, .failure(.failed("\(latest.name) was killed and has not ended; a process hangs")))
    }
    return lost.popLast().map { ($0.name, .success($0.words)) }
  }

  private mutating func told() throws(Failure) -> End? {
    while let notice = try connection.nextNotice() {
      guard notice.notice == .ended, let wait = take(notice[.name]) else { continue }
      return (wait.name, .success(text(notice, wait)))
    }
    return nil
  }

  private mutating func take(_ name: String?) -> Wait? {
    waits.firstIndex { $0.name == name }.map { waits.remove(at: $0) }
  }

  /// The daemon was restarted, and nobody of the next one waits for the ends: the requests are made again. A
  /// program that has been asked to end under the one before is not asked twice.
  private mutating func askAgain(unanswered: String? = nil, since: Int64 = 0) throws(Failure) {
    restarts += 1
    guard restarts <= Self.mostRestarts else { throw .connectionLost }
    connection = try connection.next()
    let old = waits
    waits = []
    for wait in old {
      do throws(Failure) {
        try again(wait.name, since: wait.since)
      } catch .refused(.noSuchProgram, _) {
        lost.append((wait.name, Self.unknown))
      }
    }
    if let unanswered { try again(unanswered, since: since) }
  }

  private mutating func again(_ name: String, since: Int64) throws(Failure) {
    do throws(Failure) {
      let end = try Self.end(of: name, after: begunAt, &connection)
      if let end { return lost.append((name, EndedText.how(end, asked: manner.reason))) }
      try ask(name, since: since)
    } catch .connectionLost {
      try askAgain(unanswered: name, since: since)
    }
  }

  /// The end of a program that the daemon remembers; nil when it remembers none since then, in seconds of the
  /// wall clock.
  static func end(
    of name: String, after moment: Double, _ connection: inout Connection
  ) throws(Failure) -> EndedItem? {
    do throws(Failure) {
      let ends = try connection.ask(.status(name: name, all: true)).records(EndedItem.self)
      return ends.first.flatMap { $0.at >= moment ? $0 : nil }
    } catch .refused(.noSuchProgram, _) {
      return nil
    }
  }

  private func text(_ notice: Message, _ wait: Wait) -> String {
    guard let end = try? EndedItem(notice) else {
      return InstalledProgram.holds(wait.name)
        ? "does not run, and is not started again until \"lull start \(wait.name)\""
        : "does not run; its kept lines are closed"
    }
    let wasKilled = (try? notice.flag(.killed)) == true
    return (wasKilled ? killed(wait) : nil) ?? EndedText.how(end, asked: manner.reason)
  }

  /// The words for a program that was killed; nil for one on the library that has done what it had to before
  /// its time was over.
  private func killed(_ wait: Wait) -> String? {
    guard let killedAt = wait.killedAt else { return "was \(manner.killed)" }
    let now = Clock.boottime()
    guard now + Self.inaccuracy >= killedAt else {
      if case .purge = manner { return "was \(manner.killed)" }
      return nil
    }
    let time = (Double(now - wait.since) / 1e9).rounded()
    return "was \(manner.killed) after \(DurationText.text(seconds: time))"
  }
}
