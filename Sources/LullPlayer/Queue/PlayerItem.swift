/// The identity of an entry of the queue.
public struct ItemID: Hashable, Comparable {
  /// The number; no other entry of this queue ever has it.
  public let number: UInt64

  /// The entry with this number.
  public init(number: UInt64) { self.number = number }

  /// The entry that was added first comes first.
  public static func < (one: ItemID, other: ItemID) -> Bool { one.number < other.number }
}

/// An entry of the queue (`AVPlayerItem`): a file, a part of a file or a stream, and its description.
public struct PlayerItem: Equatable {
  /// The status of an item (`AVPlayerItem.status`).
  public enum Status: Equatable {
    /// The item has not been opened yet.
    case unknown
    /// The item was opened.
    case readyToPlay
    /// The item was passed over, or ended early; one clause says why.
    case failed(String)
  }

  /// The identity.
  public let id: ItemID
  /// The entry that was added.
  public let entry: QueueEntry
  /// The description; nil when the item was not opened yet.
  public var description: MediaDescription?
  /// The status: opened, failed or neither yet.
  public var status: Status

  /// An item; without a description it was not opened yet.
  public init(id: ItemID, _ entry: QueueEntry, description: MediaDescription? = nil) {
    (self.id, self.entry, self.description) = (id, entry, description)
    status = description == nil ? .unknown : .readyToPlay
  }

  /// The location of the sound.
  public var location: Location { entry.location }
  /// The part of the file that is played; nil: all of it.
  public var excerpt: Excerpt? { entry.excerpt }

  /// The file's name, without its folder; or the stream's URL.
  public var fileName: String { location.name }

  /// The tags of the cue sheet, and where it has none those of the file.
  public var tags: Tags { (description?.tags ?? Tags()).overridden(by: excerpt?.tags ?? Tags()) }

  /// The title, with the artist before it where the artist is known; else the file's name.
  public var title: String {
    let tags = tags
    guard let title = tags.title else { return fileName }
    guard let artist = tags.artist else { return title }
    return "\(artist) - \(title)"
  }

  /// The duration in seconds; nil when the file does not tell, or was not opened yet.
  public var duration: Double? { description?.duration }
}
