/// How a program ended whose lines are kept.
public enum KeptEnding: CaseIterable, Sendable {
  /// By itself, or with an earlier daemon.
  case alone
  /// Its memory was needed, which says nothing about the program.
  case purge
  /// Somebody is about to start it again.
  case restart
  /// It did not take its lines, which are let go: it is started once without them, at once.
  case letGo
}
