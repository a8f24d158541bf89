import LullChannel
import LullSystem
import LullWire

/// The way from the subcommands to the daemon.
enum Daemon {
  /// The time that another lull's daemon may take to accept, in nanoseconds.
  private static let patience: Int64 = 1_000_000_000

  /// Connects to the daemon that runs.
  static func connect() throws(Failure) -> Connection {
    do throws(RuntimeDirectoryError) { try RuntimeDirectory.check() } catch { throw .failed("\(error)") }
    return try Connection(path: RuntimeDirectory.controlSocket())
  }

  /// True when a daemon runs.
  static func runs() throws(Failure) -> Bool {
    do throws(Failure) {
      _ = try connect()
      return true
    } catch .noDaemon {
      return false
    }
  }

  /// Connects to the daemon, which is started if none runs; then an installed program that is `wanted` is
  /// started for the user, and not as one of those that are started at boot.
  static func connectStarting(
    wanted: String? = nil, as starter: Vocabulary.Starter = .use
  ) throws(Failure) -> Connection {
    do throws(Failure) {
      return try connect()
    } catch .noDaemon {
      do {
        try DaemonLauncher.start(wanted: wanted, as: starter)
      } catch {
        return try connectToOther(error)
      }
      return try connect()
    }
  }

  /// The race: another lull has started its daemon in the same moment, and ours has refused to be the second.
  private static func connectToOther(_ launch: DaemonLaunchError) throws(Failure) -> Connection {
    let deadline = Clock.boottime() + patience
    while true {
      do throws(Failure) {
        return try connect()
      } catch .noDaemon {
        guard launch.mayBeSecond, Clock.boottime() < deadline else { throw .failed("\(launch)") }
        pause()
      }
    }
  }

  /// Waits a little before the next attempt to connect; a signal may cut the wait short.
  static func pause() {
    var none: [PollEntry] = []
    _ = try? Socket.pollMany(&none, timeoutMilliseconds: 20)
  }

  /// Sends one request on a connection of its own.
  static func ask(_ request: Request) throws(Failure) -> Connection.Response {
    var connection = try connect()
    return try connection.ask(request)
  }

  /// Sends one request and reads the items of the answer.
  static func ask<Report>(
    _ request: Request, read: ([Message]) throws(WireError) -> Report
  ) throws(Failure) -> Report {
    let items = try ask(request).items
    do { return try read(items) } catch { throw .unreadable(error) }
  }
}
