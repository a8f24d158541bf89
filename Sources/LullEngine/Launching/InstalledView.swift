/// An installed program as `lull list` shows it.
public struct InstalledView: Equatable, Sendable {
  /// Its name.
  public let name: String
  /// Its state.
  public let state: InstalledState
  /// The reason of its next start, or of its last one.
  public let reason: LaunchReason
  /// Crashes and failed starts in a row.
  public let crashes: Int
  /// The moment of the next start, where that has one.
  public let starts: Moment?
  /// What the next engine is to begin with.
  public let memory: InstalledBeginning
  /// What else it is to know.
  public let past: InstalledPast
  /// The last run of its keep-alive before the program last ended, or the start that counts as one.
  public let lastKeepAliveRun: Moment?
}
