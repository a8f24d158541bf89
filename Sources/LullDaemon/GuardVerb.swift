/// What lulld and lull-guard say to each other besides the fields of a program.
enum GuardVerb: String {
  // To the guard.
  /// A program and its pidfd, to be kept.
  case store
  case forget
  /// Everything is told anew.
  case anew
  /// A program was taken back, or its first freeze since then has not come to its end.
  case restored
  /// A restored program is about to be frozen for the first time.
  case trying
  /// It has been.
  case tried
  /// The daemon ends in good order.
  case stopping
  // To the daemon.
  /// A program of the daemon before it, with its pidfd.
  case restore
  /// One that is left running, with its pidfd: it has ended the daemon three times.
  case left
  /// All has been told: the guard watches.
  case begin
  /// The end of a program whose parent the guard is.
  case reaped
  /// A program cannot be kept.
  case full
  /// Every program was thawed, because the daemon stood still.
  case thawed
}
