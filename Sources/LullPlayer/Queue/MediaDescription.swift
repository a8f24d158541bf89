public import LullSystem

/// What a sound says of itself.
public struct MediaDescription: Equatable {
  /// Frames per second, channels, and the samples that hold its own without loss.
  public var format: FrameFormat
  /// Frames; nil when it does not tell.
  public var frames: Int64?
  /// The words that go with it.
  public var tags: Tags
  /// How loud it is.
  public var gain = ReplayGain()
  /// What a stream says beside its sound; nil for a file.
  public var stream: StreamInfo?

  /// A description.
  public init(format: FrameFormat, frames: Int64? = nil, tags: Tags = Tags()) {
    (self.format, self.frames, self.tags) = (format, frames, tags)
  }

  /// Seconds; nil when it does not tell.
  public var duration: Double? { frames.map { Double($0) / Double(format.rate) } }
}

/// The words that go with the sound; empty ones are nil.
public struct Tags: Hashable, Sendable {
  /// The name of the piece.
  public var title: String?
  /// Who plays it.
  public var artist: String?
  /// What it is a part of.
  public var album: String?
  /// What kind of music it is.
  public var genre: String?
  /// Its place in the album, as the file writes it.
  public var trackNumber: String?

  /// The words that are known.
  public init(
    title: String? = nil, artist: String? = nil, album: String? = nil, genre: String? = nil,
    trackNumber: String? = nil
  ) {
    (self.title, self.artist, self.album) = (title, artist, album)
    (self.genre, self.trackNumber) = (genre, trackNumber)
  }

  /// These words, with those of `other` in the place of their own.
  public func overridden(by other: Tags) -> Tags {
    Tags(
      title: other.title ?? title, artist: other.artist ?? artist, album: other.album ?? album,
      genre: other.genre ?? genre, trackNumber: other.trackNumber ?? trackNumber)
  }
}

/// What comes after the last item, or after each. Raw values are the command line's words.
public enum RepeatMode: String, CaseIterable, Sendable {
  /// Nothing: the player stops.
  case off
  /// The first item again.
  case all
  /// The same item again.
  case one
}
