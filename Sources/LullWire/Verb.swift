/// The verbs of the requests, as docs/PROTOCOL.md lists them.
public enum Verb: String, CaseIterable, Sendable {
  case answer
  case attach
  case background
  case beginTask = "begin-task"
  case bell
  case bye
  case cancel
  case command
  case did
  case directory
  case doctor
  case done
  case endSession = "end-session"
  case endTask = "end-task"
  case foreground
  case handover
  case hello
  case hold
  case keepalive
  case lines
  case log
  case notifications
  case present
  case quit
  case ready
  case register
  case release
  case remaining
  case ring
  case run
  case schedule
  case scheduled
  case session
  case signal
  case soundRoute = "sound-route"
  case status
  case stdio
  case suspend
  case wake
  case why
}

/// The first words of the lines that the daemon writes.
public enum Answer: String, CaseIterable, Sendable {
  /// The last line of a request that was carried out.
  case ok
  /// The only line of a request that was not carried out.
  case error
  /// One record of a reply with several.
  case item
  /// A notice: it answers no request.
  case event
}

/// The notices; the name stands after `event`.
public enum Notice: String, CaseIterable, Sendable {
  /// Call the delegate.
  case deliver
  /// The program slept and was woken.
  case wake
  /// Run the keep-alive handler.
  case keepalive
  /// Run a task's expiration handler.
  case expire
  /// The user chose an action of a notification.
  case action
  /// Hand the lines over; sleep follows.
  case prepare
  /// A new entry of the journal (`log follow`).
  case entry
  /// A new or changed notification (`notifications follow`).
  case notification
  /// A notification is gone (`notifications follow`).
  case withdrawn
  /// A command that this connection runs or attached has ended.
  case exited
  /// A notification was due while its program was active: it is handed over quietly.
  case received
  /// Another program is heard instead of a session, or no longer.
  case interruption
  /// The sound goes to another device.
  case route
  /// A session was given up.
  case cut
}

/// The kinds of records (`item kind=`).
public enum ItemKind: String, CaseIterable, Sendable {
  case daemon
  case program
  case lease
  case line
  case keepalive
  case timer
  case wake
  case sleep
  case remark
  case entry
  case notification
  case check
  case session
  case device
}
