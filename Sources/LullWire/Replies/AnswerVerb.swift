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

/// The notices; the name stands after `event`. ``ProgramNotice`` tells what those to a program mean.
package enum Notice: String, CaseIterable, Sendable {
  case deliver
  case wake
  case keepalive
  case fetch
  case expire
  case action
  case open
  case push
  case prepare
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
  case received
  case interruption
  case route
  case cut
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
  case tally
  case note
  case entry
  case notification
  case check
  case session
  case device
  case ended
  case installed
}
