/// What becomes of an installed program that does not run when the engine hears of it.
public enum InstalledBeginning: CaseIterable, Sendable {
  /// It is started in its turn: the machine or the supervisor was started.
  case boot
  /// It ran under the engine before this one, and its end was not seen: it counts as crashed.
  case lost
  /// It waits for what comes for it.
  case ended
  /// It was force-quit.
  case quit
}
