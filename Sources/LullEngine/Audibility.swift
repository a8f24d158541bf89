/// Stand-in until merged.
public struct AudibilityPolicy: Equatable, Sendable {
  public var hangover = Interval.seconds(10)
  public var spokenHangover = Interval.seconds(30)
  public var startGrace = Interval.seconds(5)
  public var gracePeriod = Interval.seconds(60)
  public init() {}
}
