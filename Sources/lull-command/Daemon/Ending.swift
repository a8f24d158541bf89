import LullChannel
import LullSystem
import LullWire

/// Ends programs, and waits until they have ended.
struct Ending: ~Copyable {
  /// The way of an end.
  enum Manner {
    /// For good, or with `keepsLines` to be started again; `now` without the time to take leave.
    case quit(now: Bool, keepsLines: Bool = false)
    /// As if memory were short.
    case purge

    fileprivate func request(_ name: String) -> Request {
      switch self {
      case .quit(let isAtOnce, let keepsLines): .quit(name: name, now: isAtOnce, keepLines: keepsLines)
      case .purge: .purge(name: name)
      }
    }

    /// The word for a program that was killed.
    fileprivate var killed: String {
      switch self {
      case .quit: "killed"
      case .purge: "purged"
      }
    }
  }

  /// The time that the kernel may take to end what was killed, in nanoseconds.
  private static let patience: Int64 = 10_000_000_000
  /// The time that a restarted daemon may take to accept again, in nanoseconds.
  private static let restart: Int64 = 10_000_000_000

  /// A program and its end in words, or why it has not ended.
  private typealias End = (name: String, Result<String, Failure>)

  private struct Wait {
    let name: String
    /// The time that the program was given, in seconds; nil for one that was killed at once.
    let time: Double?
    let deadline: Int64
  }

  private var connection: Connection
  private let manner: Manner
  private var waits: [Wait] = []
  /// Programs that have ended while the daemon was restarted.
  private var lost: [String] = []

  private init(_ connection: consuming Connection, _ manner: Manner) {
    self.connection = connection
    self.manner = manner
  }

  /// Ends the programs and prints the end of each. Throws the status when one has failed.
  static func end(_ programs: ProgramsArgument, _ manner: Manner) throws(Failure) {
    var connection = try Daemon.connect()
    let names = try programs.resolved(&connection)
    try end(names, isAll: programs.isAll, manner, on: connection)
  }

  /// The same with names. Where `isAll`, a program that has ended meanwhile is passed over.
  static func end(
    _ names: [String], isAll: Bool, _ manner: Manner, on connection: consuming Connection
  ) throws(Failure) {
    var tally = try Tally(names, isAll: isAll)
    var ending = Ending(connection, manner)
    for name in names {
      do throws(Failure) { try ending.ask(name) } catch { try tally.failed(name, error) }
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

  private mutating func ask(_ name: String) throws(Failure) {
    let ok = try connection.ask(manner.request(name)).ok
    let time: Double?
    do { time = try ok.number(ifPresent: .remainingSeconds) } catch { throw .unreadable(error) }
    let deadline = Clock.boottime() + Int64((time ?? 0) * 1e9) + Self.patience
    waits.append(Wait(name: name, time: time, deadline: deadline))
  }

  /// The next program that has ended, with the end in words; nil when all have. A program that does not end
  /// is a failure.
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
        return (latest.name, .success("ended"))
      }
      _ = take(latest.name)
      return (latest.name, .failure(.failed("\(latest.name) was killed and has not ended; a process hangs")))
    }
    return lost.popLast().map { ($0, .success("ended while the daemon was restarted")) }
  }

  /// A program of which a notice says that it has ended.
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

  /// The daemon was restarted, and the next one knows nothing of the request: it is made again.
  private mutating func askAgain() throws(Failure) {
    connection = try reconnect()
    let names = waits.map(\.name)
    waits = []
    for name in names {
      do throws(Failure) { try ask(name) } catch .refused(.noSuchProgram, _) { lost.append(name) }
    }
  }

  private func reconnect() throws(Failure) -> Connection {
    let deadline = Clock.boottime() + Self.restart
    while true {
      do throws(Failure) { return try Daemon.connect() } catch .noDaemon {
        guard Clock.boottime() < deadline else {
          throw .failed("the daemon is gone and did not come back; the programs may still run")
        }
      }
      Daemon.pause()
    }
  }

  private func text(_ notice: Message, _ wait: Wait) -> String {
    guard (try? notice.flag(.killed)) != true else {
      let after = wait.time.map { " after \(DurationText.text(seconds: $0))" } ?? ""
      return "was \(manner.killed)\(after)"
    }
    switch notice.exitStatus {
    case .exited(let status): return "ended (status \(status))"
    case .signaled(let signal): return "ended (\(Signal.name(of: signal)))"
    case .unknown: return "ended"
    }
  }
}
