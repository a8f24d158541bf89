import LullSystem

/// Which entry of the queue is meant: the same number for as long as it stands there.
struct ItemID: Hashable, Comparable {
  let number: UInt64

  static func < (one: ItemID, other: ItemID) -> Bool { one.number < other.number }
}

/// An entry of the queue: a file and what is known of it.
struct PlayerItem: Equatable {
  /// Whether it can be played (`AVPlayerItem.status`).
  enum Status: Equatable {
    /// It has not been opened yet.
    case unknown
    case readyToPlay
    /// It was passed over, or ended early; one clause says why.
    case failed(String)
  }

  let id: ItemID
  /// The file's absolute path.
  let path: String
  var description: MediaDescription?
  var status = Status.unknown

  /// The file's name, without its folder.
  var fileName: String { path.split(separator: "/").last.map { String($0) } ?? path }

  /// The title, with the artist before it where one is known; else the file's name.
  var title: String {
    guard let title = description?.tags.title else { return fileName }
    guard let artist = description?.tags.artist else { return title }
    return "\(artist) - \(title)"
  }

  /// Seconds; nil when the file does not tell, or was not opened yet.
  var duration: Double? { description?.duration }
}

/// What a file says of itself.
struct MediaDescription: Equatable {
  /// Frames per second, channels, and the samples that hold its own without loss.
  var format: FrameFormat
  /// Frames; nil when the file does not tell.
  var frames: Int64?
  var tags = Tags()

  /// Seconds; nil when the file does not tell.
  var duration: Double? { frames.map { Double($0) / Double(format.rate) } }
}

/// The words that go with the sound; empty ones are nil.
struct Tags: Equatable {
  var title: String?
  var artist: String?
  var album: String?
  var genre: String?
  var trackNumber: String?
}

/// What comes after the last item, or after each. Raw values are the command line's words.
enum RepeatMode: String, CaseIterable {
  /// Nothing: the player stops.
  case off
  /// The first item again.
  case all
  /// The same item again.
  case one
}
