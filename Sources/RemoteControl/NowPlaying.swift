/// The sound that a program plays (`MPNowPlayingInfoCenter`), as media keys, desktops and `playerctl` show
/// it.
public struct NowPlaying: Equatable {
  /// The status of playing. Raw values are those of MPRIS.
  public enum Status: String, Sendable {
    case stopped = "Stopped"
    case paused = "Paused"
    case playing = "Playing"
  }

  /// The mode of repeating. Raw values are those of MPRIS.
  public enum RepeatMode: String, Sendable {
    case off = "None"
    case one = "Track"
    case all = "Playlist"
  }

  /// The requests that are possible now: desktops show the other buttons grey.
  public struct Abilities: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt8
    /// The abilities with these bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// There is a track to play.
    public static let play = Abilities(rawValue: 1)
    /// The track can be paused.
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
    /// The number that tells the track from the others, also from the same track played again.
    public var number: UInt64
    /// The title.
    public var title: String
    /// More words, as far as they are known.
    public var artist, album, genre: String?
    /// The place in the album.
    public var trackNumber: Int32?
    /// The duration in seconds; nil when it is not known, as for a stream.
    public var duration: Double?
    /// The URLs of the sound and of the cover.
    public var url, artworkURL: String?

    /// A track.
    public init(number: UInt64, title: String) { (self.number, self.title) = (number, title) }
  }

  /// The status of playing.
  public var status = Status.stopped
  /// The track that is heard; nil: none.
  public var track: Track?
  /// Seconds into the track when this was set; see ``RemoteControl/position``.
  public var position = 0.0
  /// The speed: 1 is as it was recorded.
  public var rate = 1.0
  /// The volume, 0 to 1; nil when the program has none, which is shown as 1.
  public var volume: Double?
  /// The mode of repeating; nil when the program cannot repeat.
  public var repeatMode: RepeatMode?
  /// True when the order is random; nil when the program cannot shuffle.
  public var shuffle: Bool?
  /// The requests that are possible now.
  public var abilities: Abilities = []

  /// A state in which nothing is played.
  public init() {}
}
