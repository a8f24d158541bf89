/// The bounds of what may be asked for. The protocol's parser, the engine, the library and the command line
/// use the same bounds.
public enum Bounds {
  /// The shortest time-out of a keep-alive (`setKeepAliveTimeout:handler:`).
  public static let shortestKeepAlive = Interval.seconds(600)
  /// The time-outs of a keep-alive.
  public static let keepAlives = shortestKeepAlive...longest
  /// The shortest time between two fetches of a program: a quarter of an hour at least.
  public static let fetches = Interval.seconds(900)...longest
  /// Local notifications of one program scheduled at once.
  public static let scheduledNotifications = 128
  /// The longest duration: 100 years.
  public static let longest = Interval.seconds(3_153_600_000)
  /// Any duration of a request.
  public static let durations = Interval.zero...longest
  /// The dates that nanoseconds since 1970 reach.
  public static let dates = Interval.zero...Interval.seconds(9_223_372_036)
  /// The time from a program's request to the wake that it asks for.
  public static let wakeTimers = Interval.seconds(15)...longest
  /// The time in which a command that got its lines back proves that it goes on with them.
  public static let keptProving = Interval.seconds(5)
  /// The time in which a program that somebody starts proves that it lives.
  public static let startProving = Interval.milliseconds(200)
  /// The longest time in which a program on the library that runs comes back to a new supervisor: it looks
  /// for one every 5 s at least. Questions about it wait so long.
  public static let returning = Interval.seconds(6)
  /// The wakes of one program within `wakeBudgetPeriod`; more are reported.
  public static let wakeBudget = 15
  /// The period over which wakes are counted.
  public static let wakeBudgetPeriod = Interval.seconds(300)
  /// The longest ring of a session, in seconds.
  public static let ringSeconds: Int64 = 30
  /// The time by which frames are handed to the device before they are played.
  public static let latencies = Interval.zero...Interval.seconds(ringSeconds)
  /// Frames per second of a session.
  public static let sampleRates = 8000...192_000
  /// Samples in a frame.
  public static let channels = 1...8
}
