import LullSystem
import LullWire

/// How commands reach the daemon.
enum Daemon {
  /// Connects to the daemon that runs.
  static func connect() throws(Failure) -> Connection {
    try Connection(path: RuntimeDirectory.controlSocket())
  }

  /// Asks one thing on a connection of its own.
  static func ask(_ request: Request) throws(Failure) -> Connection.Response {
    var connection = try connect()
    return try connection.ask(request)
  }

  /// Asks one thing and reads the items of the answer.
  static func ask<Report>(
    _ request: Request, read: ([Message]) throws(WireError) -> Report
  ) throws(Failure) -> Report {
    let items = try ask(request).items
    do { return try read(items) } catch { throw .unreadable(error) }
  }
}
