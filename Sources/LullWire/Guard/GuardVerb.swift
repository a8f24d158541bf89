/// The first words of the messages between `lulld` and `lull-guard`, in the grammar of docs/PROTOCOL.md; a
/// text line has at most 65,536 bytes. Both programs are of one build, but during an upgrade, and nobody else
/// speaks this. They are connected by a socket pair, no message is answered, and neither side waits for the
/// other. What a program is, and whether it runs, is not told here: the ledger has it (docs/SURVIVAL.md).
///
/// As a service the guard hands the kept lines to the service manager when it ends, and the next guard keeps
/// them as if its `lulld` had told them.
package enum GuardVerb: String, CaseIterable, Sendable {
  // Both ways.
  /// To the guard: the record `began` is in the ledger; no other daemon is told of a fault before it. To the
  /// daemon: everything has been told, the guard watches. The daemon serves its clients from here on, or 5 s
  /// after its start.
  case begin
  // To the guard.
  /// The daemon tells of every line anew. This drops none: `drop-line` at the end drops what was not told.
  case anew
  /// A kept line (the fields of ``KeptLine``) with its descriptor, in place of what was kept with its number;
  /// also to the daemon, from the one before.
  case keepLine = "keep-line"
  /// The line of the field `line` is gone. Without it: all that were not told since `anew` are.
  case dropLine = "drop-line"
  /// Comes with the way to a lull-audio that plays on, whose process is `pid`; also to the next daemon.
  case sound
  /// The daemon ends, and the next one is to be started at once.
  case upgrading
  /// The daemon ends in good order, and the guard with it.
  case stopping
  /// Another guard watches and has everything: the guard ends with status 0, and touches nothing.
  case leave
  // To the daemon.
  /// A line of the program `name` cannot be kept, since the guard has no descriptor left (`detail`).
  case full
  /// Every program was thawed, because the daemon stood still.
  case thawed
}

extension Message {
  package init(_ verb: GuardVerb) {
    self.init(verb: verb.rawValue, noticeName: nil, fields: [])
  }
}
