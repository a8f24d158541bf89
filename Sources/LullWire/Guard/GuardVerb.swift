/// The first words of the messages between `lulld` and `lull-guard`, as docs/PROTOCOL-GUARD.md lists them.
package enum GuardVerb: String, CaseIterable, Sendable {
  // Both ways.
  /// To the guard: the daemon has begun. To the daemon: everything has been told, the guard watches.
  case begin
  // To the guard.
  /// The daemon tells of every line anew.
  case anew
  /// A kept line with its descriptor; also to the daemon, from the one before.
  case keepLine = "keep-line"
  case dropLine = "drop-line"
  /// Comes with the way to a lull-audio that plays on; also to the next daemon.
  case sound
  /// The daemon ends, and the next one is to be started at once.
  case upgrading
  /// The daemon ends in good order.
  case stopping
  /// Another guard watches: the guard is to end.
  case leave
  // To the daemon.
  /// A line cannot be kept.
  case full
  /// Every program was thawed, because the daemon stood still.
  case thawed
}

extension Message {
  package init(_ verb: GuardVerb) {
    self.init(verb: verb.rawValue, noticeName: nil, fields: [])
  }
}
