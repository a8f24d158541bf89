public import LullModel

/// The description of a sound, as the sound itself tells it.
public struct MediaDescription: Equatable {
  /// Frames per second, channels, and the sample format that holds the sound's samples without loss.
  public var format: FrameFormat
  /// The number of frames; nil when it is not told.
  public var frames: Int64?
  /// The words that go with the sound.
  public var tags: Tags
  /// The loudness.
  public var gain = ReplayGain()
  /// The stream's name and activity; nil for a file.
  public var stream: StreamInfo?

  /// A description.
  public init(format: FrameFormat, frames: Int64? = nil, tags: Tags = Tags()) {
    (self.format, self.frames, self.tags) = (format, frames, tags)
  }

  /// The duration in seconds; nil when it is not told.
  public var duration: Double? { frames.map { Double($0) / Double(format.rate) } }
}

/// The words that go with the sound; empty ones are nil.
public struct Tags: Hashable, Sendable {
  /// The words, each as the file writes it; the track number is the place in the album.
  public var title, artist, album, genre, trackNumber: String?

  /// Tags, as far as they are known.
  public init(
    title: String? = nil, artist: String? = nil, album: String? = nil, genre: String? = nil,
    trackNumber: String? = nil
  ) {
    (self.title, self.artist, self.album) = (title, artist, album)
    (self.genre, self.trackNumber) = (genre, trackNumber)
  }

  func overridden(by other: Tags) -> Tags {
    Tags(
      title: other.title ?? title, artist: other.artist ?? artist, album: other.album ?? album,
      genre: other.genre ?? genre, trackNumber: other.trackNumber ?? trackNumber)
  }

  /// The title, with the artist before it where the artist is known.
  package var fullTitle: String? {
    guard let title, let artist else { return title }
    return "\(artist) - \(title)"
  }

  /// The words under their names in messages.
  package var named: [(String, String?)] {
    [("title", title), ("artist", artist), ("album", album), ("genre", genre), ("trackNumber", trackNumber)]
  }

  package init(named word: (String) -> String?) {
    self.init(
      title: word("title"), artist: word("artist"), album: word("album"), genre: word("genre"),
      trackNumber: word("trackNumber"))
  }
}

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
  public var activity = Activity.playing

  /// The facts of a stream.
  public init(isLive: Bool, station: String? = nil, bitRate: Int? = nil) {
    (self.isLive, self.station, self.bitRate) = (isLive, station, bitRate)
  }
}
