import LullSystem
import LullWire

// A daemon that is replaced (`lull daemon upgrade`), or started again, ends its connections. Nothing is lost
// of its programs, so whoever asked goes on with the next one.
extension Daemon {
  /// The time that the next daemon may take to accept, in nanoseconds.
  private static let restart: Int64 = 10_000_000_000

  /// Asks over a connection, and over that of the next daemon where it breaks: `body` may be done twice.
  static func overRestart<Result>(
    _ connection: inout Connection, _ body: (inout Connection) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let deadline = Clock.boottime() + restart
    while true {
      do throws(Failure) { return try body(&connection) } catch .connectionLost {
        guard Clock.boottime() < deadline else { throw .connectionLost }
        connection = try reconnect()
      }
    }
  }

  /// The same with one request over a connection of its own.
  static func askOverRestart(_ request: Request) throws(Failure) -> Connection.Response {
    var connection = try connect()
    return try overRestart(&connection) { (connection) throws(Failure) in try connection.ask(request) }
  }

  /// Connects to the daemon that is about to come.
  static func reconnect() throws(Failure) -> Connection {
    let deadline = Clock.boottime() + restart
    while true {
      do throws(Failure) { return try connect() } catch .noDaemon {
        guard Clock.boottime() < deadline else {
          throw .failed("the daemon is gone and did not come back; the programs may still run")
        }
      }
      pause()
    }
  }
}
