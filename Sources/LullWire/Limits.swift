/// The bounds of the control protocol and of the line protocol of the phone.
public enum Limits {
  /// The longest line of the control protocol in bytes, with its LF.
  public static let maximumLine = 4096
  /// The longest line between lulld and lull-guard in bytes, with its LF: a program's whole description.
  public static let maximumGuardLine = 65_536
  /// The most fields that a message has.
  public static let maximumFields = 32
  /// The longest verb or key in bytes.
  public static let maximumWord = 32
  /// The longest name of a program in bytes.
  public static let maximumName = 64
  /// The longest name of a sound device in bytes.
  public static let maximumDevice = 128
  /// The longest line of the ping, pong, notify protocol in bytes, with its LF.
  public static let maximumTextLine = 65_536
  /// No duration of a request is longer: 100 years, in nanoseconds.
  public static let longest: Int64 = 3_153_600_000 * second
  /// The dates that nanoseconds since 1970 reach, in nanoseconds.
  public static let dates = 0...9_223_372_036 * second
  /// The shortest time between two wakes for a program's own timers, in nanoseconds.
  public static let shortestTimerFloor = 5 * second
  /// The interval of the kernel's probes of an idle TCP connection, in nanoseconds.
  public static let tcpKeepalives = 1 * second...32_767 * second
  /// The interval of the keep-alive datagrams of UDP sockets, in nanoseconds.
  public static let udpKeepalives = 5 * second...86_400 * second
  /// How long a command stays awake for an answer, in nanoseconds.
  public static let lingers = 1 * second...3600 * second
  /// How long a program stays awake after the last that was heard of it, in nanoseconds.
  public static let silences = 0...3600 * second
  /// How far ahead of what is heard frames are handed to the device, in nanoseconds.
  public static let latencies = 0...ringSeconds * second
  /// Frames per second of a session.
  public static let sampleRates: ClosedRange<Int64> = 8000...192_000
  /// Channels of a session.
  public static let channels: ClosedRange<Int64> = 1...8
  /// The longest ring of a session, in seconds.
  public static let ringSeconds: Int64 = 30

  private static let second: Int64 = 1_000_000_000
}
