/// The first words of the messages between `lulld` and `lull-guard`, as docs/PROTOCOL-GUARD.md lists them.
package enum GuardVerb: String, CaseIterable, Sendable {
  // To the guard.
  /// A program and its pidfd, to be kept.
  case store
  case forget
  /// The daemon tells everything anew.
  case anew
  /// A program was taken back, or its first freeze since then was not completed.
  case restored
  /// A restored program is about to be frozen for the first time.
  case trying
  /// The restored program has been frozen.
  case tried
  /// A notification, to be kept; also to the daemon, from the one before.
  case keep
  /// A notification is gone.
  case drop
  /// A kept line with its descriptor; also to the daemon, from the one before.
  case keepLine = "keep-line"
  /// A kept line is gone.
  case dropLine = "drop-line"
  /// An installed program, to be kept; also to the daemon, from the one before.
  case keepInstalled = "keep-installed"
  /// A program is installed no longer.
  case dropInstalled = "drop-installed"
  /// The daemon ends in good order.
  case stopping
  /// The guard is to become the lull-guard of a folder; the descriptor is its link from then on.
  case become
  /// The daemon ends, and the next one is started at once.
  case upgrading
  /// The way to a lull-audio that plays on, to be kept; also to the next daemon.
  case sound
  // To the daemon.
  /// A program of the previous daemon, with its pidfd.
  case restore
  /// A program that is left running, with its pidfd: its restoring has ended the daemon three times.
  case left
  /// Everything has been told: the guard watches.
  case begin
  /// A program or a line cannot be kept.
  case full
  /// The guard could not become another one.
  case unchanged
  /// Every program was thawed, because the daemon stood still.
  case thawed
}

extension Message {
  /// Makes a message between `lulld` and `lull-guard`.
  package init(_ verb: GuardVerb) {
    self.init(verb: verb.rawValue, noticeName: nil, fields: [])
  }
}
