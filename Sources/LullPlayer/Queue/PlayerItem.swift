/// Which entry of the queue is meant: the same number for as long as it stands there.
public struct ItemID: Hashable, Comparable {
  /// No other entry of this queue ever has it.
  public let number: UInt64

  /// The entry with this number.
  public init(number: UInt64) { self.number = number }

  /// The one that was added first comes first.
  public static func < (one: ItemID, other: ItemID) -> Bool { one.number < other.number }
}

/// An entry of the queue (`AVPlayerItem`): a file, a part of one or a stream, and what is known of it.
public struct PlayerItem: Equatable {
  /// Whether it can be played (`AVPlayerItem.status`).
  public enum Status: Equatable {
    /// It has not been opened yet.
    case unknown
    /// It was opened.
    case readyToPlay
    /// It was passed over, or ended early; one clause says why.
    case failed(String)
  }

  /// Which entry it is.
  public let id: ItemID
  /// What was added.
  public let entry: QueueEntry
  /// What it says of itself; nil when it was not opened yet.
  public var description: MediaDescription?
  /// Whether it can be played.
  public var status: Status

  /// An entry that was opened, or not yet.
  public init(id: ItemID, _ entry: QueueEntry, description: MediaDescription? = nil) {
    (self.id, self.entry, self.description) = (id, entry, description)
    status = description == nil ? .unknown : .readyToPlay
  }

  /// Where the sound stands.
  public var location: Location { entry.location }
  /// The part of the file that it is; nil: all of it.
  public var excerpt: Excerpt? { entry.excerpt }

  /// The file's name, without its folder; or the stream's URL.
  public var fileName: String { location.name }

  /// The words that go with it: those of the file, and before them those of the cue sheet.
  public var tags: Tags { (description?.tags ?? Tags()).overridden(by: excerpt?.tags ?? Tags()) }

  /// The title, with the artist before it where one is known; else the file's name.
  public var title: String {
    let tags = tags
    guard let title = tags.title else { return fileName }
    guard let artist = tags.artist else { return title }
    return "\(artist) - \(title)"
  }

  /// Seconds; nil when the file does not tell, or was not opened yet.
  public var duration: Double? { description?.duration }
}
