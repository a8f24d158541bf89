/// The name, the bit rate and the activity of a stream.
public struct StreamInfo: Equatable, Sendable {
  /// The activity of the stream.
  public enum Activity: Equatable, Sendable {
    /// The stream waits until there is enough to play on.
    case buffering
    case playing
    /// The connection is lost, for this reason; it is tried again.
    case reconnecting(String)
  }

  /// True for a radio, which has no end: a pause ends it, and playing begins it anew.
  public var isLive: Bool
  /// The radio's name.
  public var station: String?
  /// Bits per second, as the station tells.
  public var bitRate: Int?
  /// The activity of the stream.
  public var activity: Activity

  /// The facts of a stream.
  public init(isLive: Bool, station: String? = nil, bitRate: Int? = nil, activity: Activity = .playing) {
    (self.isLive, self.station, self.bitRate, self.activity) = (isLive, station, bitRate, activity)
  }
}
