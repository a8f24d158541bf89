/// The first words of the text lines that the daemon writes.
package enum AnswerVerb: String, CaseIterable, Sendable {
  /// The last line of the answer to a request that was carried out.
  case ok
  /// The only line of the answer to a request that was not carried out.
  case error
  /// One record of a reply with several.
  case item
  /// A notice, which answers no request.
  case event
}

/// The notices; the name stands after `event`.
package enum Notice: String, CaseIterable, Sendable {
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
  /// Somebody opened a link whose scheme the program takes.
  case open
  /// Hand the lines over; sleep follows.
  case prepare
  /// The program is to end, and its lines are kept.
  case keeping
  /// A new entry of the journal (`log follow`).
  case entry
  /// A new or changed notification (`notifications follow`).
  case notification
  /// A notification is gone (`notifications follow`).
  case withdrawn
  /// A command that this connection runs or attached has ended.
  case exited
  /// A program that this connection quit has ended.
  case ended
  /// A notification was due while its program was active: it is handed over quietly.
  case received
  /// Another program has the audio focus instead of a session, or no longer.
  case interruption
  /// The route changed: the sound goes to another device.
  case route
  /// A session was given up.
  case cut
  /// Something changed around the program.
  case changed
}

/// The kinds of records (`item kind=`).
package enum ItemKind: String, CaseIterable, Sendable {
  case daemon
  case program
  case lease
  case line
  case keepalive
  case timer
  case wake
  case sleep
  case purge
  case remark
  case entry
  case notification
  case check
  case session
  case device
  case ended
  case installed
}
