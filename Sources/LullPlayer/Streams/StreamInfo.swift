/// What a stream says of itself beside its sound, and how it is going.
public struct StreamInfo: Equatable, Sendable {
  /// How it is going.
  public enum Activity: Equatable, Sendable {
    /// It waits until there is enough to play on.
    case buffering
    case playing
    /// Why the connection is gone; it is tried again.
    case reconnecting(String)
  }

  /// Whether it has no end: a radio. It is not paused, but begun anew.
  public var isLive: Bool
  /// The radio's name.
  public var station: String?
  /// Bits per second, as the station has it.
  public var bitRate: Int?
  /// How it is going.
  public var activity: Activity

  /// What is known of a stream.
  public init(isLive: Bool, station: String? = nil, bitRate: Int? = nil, activity: Activity = .playing) {
    (self.isLive, self.station, self.bitRate, self.activity) = (isLive, station, bitRate, activity)
  }
}
