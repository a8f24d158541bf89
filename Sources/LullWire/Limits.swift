/// The bounds of the control protocol and of the line protocol of the phone.
public enum Limits {
  /// The longest line of the control protocol in bytes, with its LF.
  public static let maximumLine = 4096
  /// The most fields that a message has.
  public static let maximumFields = 32
  /// The longest verb or key in bytes.
  public static let maximumWord = 32
  /// The longest name of a program in bytes.
  public static let maximumName = 64
  /// The longest line of the ping, pong, notify protocol in bytes, with its LF.
  public static let maximumTextLine = 65_536
  /// The shortest time between two wakes for a program's own timers, in nanoseconds.
  public static let shortestTimerFloor: Int64 = 5_000_000_000
  /// Frames per second of a session.
  public static let sampleRates: ClosedRange<Int64> = 8000...192_000
  /// Channels of a session.
  public static let channels: ClosedRange<Int64> = 1...8
  /// The longest ring of a session, in seconds.
  public static let ringSeconds: Int64 = 30
}
