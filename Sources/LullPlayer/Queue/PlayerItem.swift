/// An entry to add to a queue.
public struct QueueEntry: Hashable, Sendable {
  /// The location of the sound.
  public var location: MediaLocation
  /// The part of the file; nil: all of it.
  package var excerpt: Excerpt?

  /// All of a sound.
  public init(_ location: MediaLocation) { self.location = location }

  package init(_ location: MediaLocation, _ excerpt: Excerpt?) {
    (self.location, self.excerpt) = (location, excerpt)
  }
}

/// A part of a file that is an item of its own: a track of a cue sheet.
package struct Excerpt: Hashable, Sendable {
  /// The frames of a compact disc.
  static let partsPerSecond = 75

  /// In 1/75 s; without an end the part ends with the file.
  package let start: Int
  package let end: Int?
  /// The tags in the cue sheet.
  package var tags: Tags

  /// Nil for an end that does not come after the start, and for times beyond a year.
  package init?(start: Int, end: Int? = nil, tags: Tags = Tags()) {
    let possible = 0...(366 * 86_400 * Self.partsPerSecond)
    guard possible.contains(start), end.map({ $0 > start && possible.contains($0) }) ?? true else {
      return nil
    }
    (self.start, self.end, self.tags) = (start, end, tags)
  }

  /// The part's frames in a file of this rate.
  func frames(rate: Int) -> (start: Int64, end: Int64?) {
    func frame(_ parts: Int) -> Int64 { Int64(parts) * Int64(rate) / Int64(Self.partsPerSecond) }
    return (frame(start), end.map(frame))
  }
}

/// The identity of an entry of the queue.
public struct ItemID: Hashable, Comparable {
  /// The number; no other entry of this queue ever has it.
  public let number: UInt64

  init(number: UInt64) { self.number = number }

  /// The entry that was added first comes first.
  public static func < (one: ItemID, other: ItemID) -> Bool { one.number < other.number }
}

/// An entry of the queue (`AVPlayerItem`): a file, a part of a file or a stream, and its description.
public struct PlayerItem: Equatable {
  /// The status of an item (`AVPlayerItem.status`).
  public enum Status: Equatable {
    /// The item has not been opened yet.
    case unknown
    case readyToPlay
    /// The item was passed over, or ended early; one clause says why.
    case failed(String)
  }

  /// The identity.
  public let id: ItemID
  /// The entry that was added.
  public let entry: QueueEntry
  /// The description; nil when the item was not opened yet.
  public internal(set) var description: MediaDescription?
  /// The status: opened, failed or neither yet.
  public internal(set) var status: Status

  init(id: ItemID, _ entry: QueueEntry, description: MediaDescription? = nil) {
    (self.id, self.entry, self.description) = (id, entry, description)
    status = description == nil ? .unknown : .readyToPlay
  }

  /// The location of the sound.
  public var location: MediaLocation { entry.location }
  /// The file's name, without its folder; or the stream's URL.
  public var fileName: String { location.name }

  /// The tags of the cue sheet, and where it has none those of the file.
  public var tags: Tags { (description?.tags ?? Tags()).overridden(by: entry.excerpt?.tags ?? Tags()) }

  /// The title, with the artist before it where the artist is known; else the file's name.
  public var title: String { tags.fullTitle ?? fileName }

  /// The duration in seconds; nil when the file does not tell, or was not opened yet.
  public var duration: Double? { description?.duration }
}
