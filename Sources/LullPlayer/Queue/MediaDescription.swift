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
  /// The name of the piece.
  public var title: String?
  /// The artist.
  public var artist: String?
  /// The album.
  public var album: String?
  /// The kind of music.
  public var genre: String?
  /// The place in the album, as the file writes it.
  public var trackNumber: String?

  /// Tags, as far as they are known.
  public init(
    title: String? = nil, artist: String? = nil, album: String? = nil, genre: String? = nil,
    trackNumber: String? = nil
  ) {
    (self.title, self.artist, self.album) = (title, artist, album)
    (self.genre, self.trackNumber) = (genre, trackNumber)
  }

  /// These tags; those that `other` has replace them.
  public func overridden(by other: Tags) -> Tags {
    Tags(
      title: other.title ?? title, artist: other.artist ?? artist, album: other.album ?? album,
      genre: other.genre ?? genre, trackNumber: other.trackNumber ?? trackNumber)
  }
}

/// The mode of repeating. Raw values are the command line's words.
public enum RepeatMode: String, CaseIterable, Sendable {
  /// Nothing is repeated: the player stops after the last item.
  case off
  /// After the last item comes the first.
  case all
  /// After each item comes the same item.
  case one
}
