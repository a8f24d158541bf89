/// The reason why a file cannot be played; `description` is one clause.
public enum DecodeError: Error, Equatable, CustomStringConvertible {
  case notFound
  /// The path is no regular file, but a folder, a pipe or a device.
  case notAFile
  case unreadable(String)
  case impossibleFormat(rate: Int, channels: Int)
  case notSeekable

  static let withoutMemory = unreadable("no memory for a decoder")

  /// The error in one clause.
  public var description: String {
    switch self {
    case .notFound: "no such file"
    case .notAFile: "not a regular file"
    case .unreadable(let reason): reason
    case .impossibleFormat(let rate, let channels):
      "\(rate) Hz with \(channels) channel\(channels == 1 ? "" : "s") cannot be played "
        + "(8000 to 192000 Hz, 1 to 8 channels)"
    case .notSeekable: "the position cannot be changed in this file"
    }
  }
}

/// The state of a sound that was opened.
public enum DecoderState: Equatable {
  /// Nothing is known yet: the bytes come over the network. ``Decoding/onChange`` is called when this
  /// changes.
  case opening
  case ready(MediaDescription)
  case failed(DecodeError)
}

/// The result of a read.
public enum DecodedFrames: Equatable {
  /// The number of frames, at least one.
  case frames(Int)
  /// No frames now. ``Decoding/onChange`` is called when there are some again.
  case pending
  case end
}

/// A sound that is read frame by frame: a file, or a stream. Every call returns at once.
public protocol Decoding: AnyObject {
  /// The state and the description; the tags of a stream change while it plays.
  var state: DecoderState { get }
  /// The frame that the next read begins with.
  var frame: Int64 { get }
  /// The reason why the sound ended before its announced end, in one clause; nil when it did not.
  var shortfall: String? { get }
  /// Called in the application's loop when ``state`` has changed, or when there are frames again after
  /// `pending`.
  var onChange: (() -> Void)? { get set }
  /// Reads whole frames of interleaved samples, full scale at 1.
  func read(into samples: UnsafeMutableBufferPointer<Float>) -> DecodedFrames
  /// Goes to a frame; a frame beyond the end is the end.
  func seek(to frame: Int64) throws(DecodeError)
  /// Lets the next part be fetched while the player sleeps, where that is possible. The output has `seconds`
  /// left to play; either it takes no more now, or the last read was `pending`.
  func readAhead(queued seconds: Double)
  /// True when the sound has no end: a pause ends it, and playing begins it anew.
  var isLive: Bool { get }
}

extension Decoding {
  /// A sound that is there as a whole is not live, falls not short, and fetches nothing.
  public var isLive: Bool { false }
  /// Nil.
  public var shortfall: String? { nil }
  /// Does nothing.
  public func readAhead(queued seconds: Double) {}
  /// The description, once it is known.
  public var description: MediaDescription? {
    if case .ready(let description) = state { description } else { nil }
  }
}

/// Opens the sound of an item.
public typealias DecoderOpener = (PlayerItem) throws(DecodeError) -> any Decoding
