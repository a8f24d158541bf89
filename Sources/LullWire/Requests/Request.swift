/// A request with its fields checked: every row of the tables of docs/PROTOCOL.md.
package enum Request: DescribedMessage {
  case hello

  case register(Register)
  case did(ticket: Ticket)
  case done(ticket: Ticket)
  case hold(Hold)
  case release(line: LineID)
  /// Sets the keep-alive, or clears it with nil.
  case keepalive(KeepAlive?)
  case beginTask(name: String)
  case endTask(task: TaskID)
  case remaining
  case present(LocalNotification)
  case schedule(Schedule)
  /// Without a notification: all scheduled notifications of the program.
  case cancel(NotificationID?)
  case scheduled
  /// Without a name: the program that asks.
  case background(name: String?)
  /// Without a name: the program that asks.
  case foreground(name: String?)
  case handover(line: LineID, ticket: Ticket)
  case ready(ticket: Ticket)
  case bye

  case ring
  /// `inode` is that of the end of the socket pair that the program keeps.
  case doorbell(inode: UInt64?)
  case session(Session)
  case endSession(session: SessionID)

  case status(name: String?)
  case why(name: String)
  /// With `all`, each descriptor of a set has a record of its own.
  case lines(name: String?, all: Bool)
  case log(follow: Bool, last: Int?)
  case wake(name: String)
  case suspend(name: String)
  case quit(name: String)
  case notifications(follow: Bool)
  case answer(notification: NotificationID, action: String)
  case doctor

  case stdio(number: Int32)
  case directory
  /// `arguments` is the number of the memfd's strings that are arguments; the rest is the environment.
  case command(arguments: Int)
  case run(Run)
  case attach(name: String)
  case signal(name: String, number: Int32)
  case audioRoute(AudioRoute)
}
