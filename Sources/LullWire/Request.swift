/// A request with its fields checked: every row of the tables of docs/PROTOCOL.md.
///
/// Durations are in nanoseconds, though the wire has seconds.
public enum Request: Equatable, Sendable {
  case hello

  case register(Register)
  case did(ticket: UInt64)
  case done(ticket: UInt64)
  case hold(Hold)
  case release(line: UInt64)
  /// Sets the keep-alive, or clears it with nil.
  case keepalive(KeepAlive?)
  case beginTask(name: String)
  case endTask(task: UInt64)
  case remaining
  case present(Notification)
  case schedule(Schedule)
  case cancel(Cancel)
  case scheduled
  /// Without a name: the program that asks.
  case background(name: String?)
  /// Without a name: the program that asks.
  case foreground(name: String?)
  case handover(line: UInt64, ticket: UInt64)
  case ready(ticket: UInt64)
  case bye

  case ring
  /// `inode` is that of the end of the socket pair that the program keeps.
  case bell(inode: UInt64?)
  case session(Session)
  case endSession(session: UInt64)

  case status(name: String?)
  case why(name: String)
  /// With `all`, each descriptor of a set has a record of its own.
  case lines(name: String?, all: Bool)
  case log(follow: Bool, last: Int?)
  case wake(name: String)
  case suspend(name: String)
  case quit(name: String)
  case notifications(follow: Bool)
  case answer(notification: UInt64, action: String)
  case doctor

  case stdio(number: Int32)
  case directory
  /// `arguments` is how many strings of the memfd are arguments; the rest is the environment.
  case command(arguments: Int)
  case run(Run)
  case attach(name: String)
  case signal(name: String, number: Int32)
  case soundRoute(SoundRoute)

  /// Whether a descriptor travels with the line of this request.
  public var expectsDescriptor: Bool {
    switch self {
    case .hold, .handover, .stdio, .directory, .command, .ring, .bell: true
    default: false
    }
  }
}
