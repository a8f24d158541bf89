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
}
