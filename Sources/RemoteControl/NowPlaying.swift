/// What a program plays (`MPNowPlayingInfoCenter`), as media keys, desktops and `playerctl` show it.
public struct NowPlaying: Equatable {
  /// Whether it plays. Raw values are those of MPRIS.
  public enum Status: String, Sendable {
    case stopped = "Stopped"
    case paused = "Paused"
    case playing = "Playing"
  }

  /// What comes after the last track, or after each. Raw values are those of MPRIS.
  public enum RepeatMode: String, Sendable {
    case off = "None"
    case one = "Track"
    case all = "Playlist"
  }

  /// What can be done now: buttons that do nothing are shown grey.
  public struct Abilities: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt8
    /// The abilities with these bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// There is a track to play.
    public static let play = Abilities(rawValue: 1)
    /// It can be paused.
    public static let pause = Abilities(rawValue: 2)
    /// There is a next track.
    public static let next = Abilities(rawValue: 4)
    /// There is a track before.
    public static let previous = Abilities(rawValue: 8)
    /// The place in the track can be changed.
    public static let seek = Abilities(rawValue: 16)
  }

  /// A track.
  public struct Track: Equatable {
    /// Tells it from the others, also from the same one played again.
    public var number: UInt64
    /// What it is called.
    public var title: String
    /// Who plays it.
    public var artist: String?
    /// What it is a part of.
    public var album: String?
    /// What kind of music it is.
    public var genre: String?
    /// Its place in the album.
    public var trackNumber: Int32?
    /// Seconds; nil when nobody knows, as for a stream.
    public var duration: Double?
    /// The URL of its sound.
    public var url: String?
    /// The URL of its cover.
    public var artworkURL: String?

    /// A track.
    public init(number: UInt64, title: String) { (self.number, self.title) = (number, title) }
  }

  /// Whether it plays.
  public var status = Status.stopped
  /// What is heard; nil: nothing.
  public var track: Track?
  /// Seconds into the track when this was set; see ``RemoteControl/position``.
  public var position = 0.0
  /// How fast it plays: 1 is as it was recorded.
  public var rate = 1.0
  /// 0 to 1; nil when the program has none, which is shown as 1.
  public var volume: Double?
  /// What comes after the last track; nil when the program cannot repeat.
  public var repeatMode: RepeatMode?
  /// Whether the order is random; nil when the program cannot do that.
  public var shuffle: Bool?
  /// What can be done now.
  public var abilities: Abilities = []

  /// Nothing is played.
  public init() {}
}
