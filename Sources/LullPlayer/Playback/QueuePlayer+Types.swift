extension QueuePlayer {
  /// The status that others see (`timeControlStatus`, with the words of MPRIS). Raw values are the protocol's
  /// words.
  public enum Status: String, Sendable {
    case stopped, paused, playing
    /// The player is to play, but another program is heard instead, or the device is gone.
    case interrupted
  }

  /// The kinds of changes that an observer is told.
  public enum Change: Sendable {
    case queue, currentItem, status, volume, repeatMode, shuffle, replayGain
    /// The position has jumped: it does not follow from the time that has passed.
    case position
    /// There is something to tell the user: `note`.
    case note
  }

  /// The place that is heard, or would be.
  public struct Place: Equatable {
    /// The entry of the queue.
    public var item: ItemID
    /// Seconds into it.
    public var seconds: Double

    /// A place.
    public init(item: ItemID, seconds: Double) { (self.item, self.seconds) = (item, seconds) }
  }

  /// The reason why a request cannot be carried out, in one text line.
  public struct Refusal: Error, Equatable {
    /// The text line.
    public let reason: String

    /// A refusal.
    public init(reason: String) { self.reason = reason }
  }

  enum Intent {
    case stopped, paused, playing
  }

  /// The causes of silence while the player is to play.
  struct Interruptions: OptionSet {
    let rawValue: UInt8
    static let otherSound = Interruptions(rawValue: 1)
    static let noDevice = Interruptions(rawValue: 2)
  }

  /// The source of the frames that are written next.
  enum Feed {
    case nothing
    /// The source has no description yet; there is no output.
    case opening(Source)
    case decoding(Source)
    /// The written frames are to be heard before the next item, which needs another output, or before the
    /// end.
    case draining(next: ItemID?)
  }
}
