import LullChannel
import LullSystem
import LullWire

enum Daemon {
  /// The time within which a request is asked again of the next daemon, in nanoseconds.
  private static let restarts: Int64 = 30_000_000_000

  static func connect() throws(Failure) -> Connection { try connect(for: nil) }

  /// An installed program that is `wanted` is started for the user then, and not as one of those that are
  /// started at boot. A daemon that does not boot starts none of them: it takes back what runs.
  static func connectStarting(wanted: String? = nil, boots: Bool = true) throws(Failure) -> Connection {
    try DaemonStart(wanted: wanted, boots: boots).connect()
  }

  static func connect(starting start: DaemonStart?) throws(Failure) -> Connection {
    guard let start else { return try connect() }
    return try start.connect()
  }

  /// The next daemon is started by `start`.
  fileprivate static func connect(for start: DaemonStart?) throws(Failure) -> Connection {
    do throws(RuntimeDirectoryError) { try RuntimeDirectory.check() } catch { throw .failed("\(error)") }
    return try Connection(path: RuntimeDirectory.controlSocket(), start: start)
  }

  /// True when one answers: the socket of a daemon that was just killed takes connections a moment longer.
  static func runs() throws(Failure) -> Bool {
    do throws(Failure) {
      var connection = try connect()
      _ = try connection.ask(.hello)
      return true
    } catch .noDaemon, .connectionLost {
      return false
    }
  }

  /// A signal may cut the wait short.
  static func pause() {
    var none: [PollEntry] = []
    _ = try? Socket.pollMany(&none, timeoutMilliseconds: 20)
  }

  // MARK: Requests

  /// Asks over a connection, and over that of the next daemon where it breaks: `body` may be done twice. The
  /// next daemon has the programs of the one before, so nothing else is to be done.
  static func overRestart<Result>(
    _ connection: inout Connection, _ body: (inout Connection) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var deadline: Int64?
    while true {
      do throws(Failure) { return try body(&connection) } catch .connectionLost {
        let last = deadline ?? Clock.boottime() + restarts
        guard Clock.boottime() < last else { throw .connectionLost }
        deadline = last
        connection = try connection.next()
      }
    }
  }

  static func ask(_ request: Request) throws(Failure) -> Connection.Response {
    var connection = try connect()
    return try overRestart(&connection) { (connection) throws(Failure) in try connection.ask(request) }
  }

  static func ask<Report>(
    _ request: Request, starting start: DaemonStart? = nil, read: ([Message]) throws(WireError) -> Report
  ) throws(Failure) -> Report {
    var connection = try connect(starting: start)
    let items = try overRestart(&connection) { (connection) throws(Failure) in
      try connection.ask(request).items
    }
    do { return try read(items) } catch { throw .unreadable(error) }
  }
}

struct DaemonStart {
  /// The time in which another process's daemon must accept, in nanoseconds.
  private static let patience: Int64 = 1_000_000_000

  var wanted: String?
  var boots = true
  var starter = Vocabulary.Starter.use

  /// For subcommands that only read, or end programs.
  static let withoutBoot = DaemonStart(boots: false)

  func connect() throws(Failure) -> Connection {
    var wait = DaemonWait()
    while true {
      do throws(Failure) { return try Daemon.connect(for: self) } catch .noDaemon {
        guard !wait.isOver else {
          throw .failed("the daemon does not accept within \(DaemonWait.text); see \"lull doctor\"")
        }
        // One that lives is about to end, or to begin; that of a service comes back by itself.
        if !Leftovers().isWatched, !wait.isForService || !RuntimeLedger.isOfService {
          do throws(DaemonLaunchError) {
            try DaemonLauncher.start(wanted: wanted, boots: boots, as: starter)
          } catch {
            return try connectToOther(error)
          }
        }
      }
      wait.pause()
    }
  }

  /// The race: another lull has started its daemon in the same moment, and ours has refused to be the second.
  private func connectToOther(_ launch: DaemonLaunchError) throws(Failure) -> Connection {
    let deadline = Clock.boottime() + Self.patience
    while true {
      do throws(Failure) {
        return try Daemon.connect(for: self)
      } catch .noDaemon {
        guard launch.mayBeSecond, Clock.boottime() < deadline else { throw .failed("\(launch)") }
      }
      Daemon.pause()
    }
  }
}

/// A wait for a daemon that does not accept or answer yet, as one that is started again by its guard, or that
/// takes its programs back. It is told when it takes long.
struct DaemonWait {
  /// The longest wait, and the time after which it is told, in nanoseconds. A guard looks after a daemon
  /// that was stopped within a second.
  static let bound: Int64 = 10_000_000_000, silence: Int64 = 1_500_000_000
  private static let serviceRestart: Int64 = 2_000_000_000

  private let begunAt = Clock.boottime()
  private var isTold = false

  /// True for as long as a service manager may take to start its service again.
  var isForService: Bool { Clock.boottime() - begunAt < Self.serviceRestart }
  var isOver: Bool { Clock.boottime() - begunAt >= Self.bound }

  mutating func pause() {
    if !isTold, Clock.boottime() - begunAt >= Self.silence {
      isTold = true
      if !Leftover.continueDaemon() { Self.tell() }
    }
    Daemon.pause()
  }

  static func tell() { Output.complain("the daemon does not answer yet; waiting \(text) at most") }

  static var text: String { DurationText.text(seconds: Double(bound) / 1e9) }
}
