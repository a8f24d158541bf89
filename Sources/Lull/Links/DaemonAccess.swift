internal import LullChannel
internal import LullEngine

/// The way to the daemon: a connection, or the wait for the next attempt to get one.
struct DaemonAccess {
  private enum State {
    case up(DaemonConnection)
    /// Connected again; `register` is on its way.
    case registering(DaemonConnection, until: Moment)
    case down(retry: Moment)
    case closed
  }

  private static let firstRetry = Interval.milliseconds(10)
  private static let lastRetry = Interval.seconds(5)

  private let path: String
  private let user: UInt32
  private let loop: EventLoop
  let patience: Interval
  private var state = State.closed
  private var retryAfter = firstRetry

  /// An answer may take the time `patience`.
  init(path: String, user: UInt32, patience: Interval, loop: EventLoop) {
    (self.path, self.user, self.patience, self.loop) = (path, user, patience, loop)
  }

  var isUp: Bool { if case .up = state { true } else { false } }

  var connection: DaemonConnection? {
    switch state {
    case .up(let connection), .registering(let connection, _): connection
    case .down, .closed: nil
    }
  }

  /// The moment at which the daemon has taken too long, or is to be looked for again.
  var deadline: Moment? {
    switch state {
    case .registering(_, let until): until
    case .down(let retry): retry
    case .up(let connection): connection.stalledSince.map { $0 + patience }
    case .closed: nil
    }
  }

  func isRetryDue(at now: Moment) -> Bool { if case .down(let retry) = state { retry <= now } else { false } }

  mutating func connect(onReady: @escaping EventLoop.Handler) throws(ControlSocketError) {
    state = .up(try DaemonConnection(path: path, user: user, loop: loop, onReady: onReady))
  }

  mutating func reconnect(at now: Moment, onReady: @escaping EventLoop.Handler) -> Bool {
    do throws(ControlSocketError) {
      let connection = try DaemonConnection(path: path, user: user, loop: loop, onReady: onReady)
      state = .registering(connection, until: now + patience)
      return true
    } catch {
      retryLater(than: now)
      return false
    }
  }

  mutating func registered() {
    retryAfter = DaemonAccess.firstRetry
    if case .registering(let connection, _) = state { state = .up(connection) }
  }

  /// Gives the connection up, to connect later; false without one.
  mutating func drop(at now: Moment) -> Bool {
    guard connection != nil else { return false }
    close()
    retryLater(than: now)
    return true
  }

  mutating func close() {
    connection?.close()
    state = .closed
  }

  private mutating func retryLater(than now: Moment) {
    state = .down(retry: now + retryAfter)
    retryAfter = min(retryAfter.scaled(by: 2), DaemonAccess.lastRetry)
  }
}
