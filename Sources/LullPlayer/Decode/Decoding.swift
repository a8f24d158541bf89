public import LullSystem

/// What is known of a sound that was opened.
public enum DecoderState: Equatable {
  /// Nothing yet: it comes from far away. ``Decoding/onChange`` is called when this changes.
  case opening
  case ready(MediaDescription)
  case failed(DecodeError)
}

/// What a read brought.
public enum DecodedFrames: Equatable {
  /// So many, at least one.
  case frames(Int)
  /// None now. ``Decoding/onChange`` is called when there are some again.
  case pending
  /// None any more.
  case end
}

/// A sound that is read frame by frame: a file, or a stream. Every call returns at once.
public protocol Decoding: AnyObject {
  /// What it is; the tags of a stream change while it plays.
  var state: DecoderState { get }
  /// The frame that the next read begins with.
  var frame: Int64 { get }
  /// Why it ended before its announced end, in one clause; nil when it did not.
  var shortfall: String? { get }
  /// Called in the application's loop when ``state`` has changed, or when there are frames again after
  /// `pending`.
  var onChange: (() -> Void)? { get set }
  /// Reads whole frames into the buffer, in samples of the given kind, which holds those of the description
  /// without loss.
  func read(_ sample: SampleFormat, into buffer: UnsafeMutableRawBufferPointer) -> DecodedFrames
  /// Goes to a frame; one beyond the end is the end.
  func seek(to frame: Int64) throws(DecodeError)
  /// Has what comes next fetched while the player sleeps, where that is possible. The output has so many seconds to
  /// play, and takes no more now, or the last read was `pending`.
  func readAhead(queued seconds: Double)
  /// Whether it has no end: it is not paused, but begun anew.
  var isLive: Bool { get }
}

extension Decoding {
  /// A file has an end.
  public var isLive: Bool { false }
  /// What it is, once it is known.
  public var description: MediaDescription? {
    if case .ready(let description) = state { description } else { nil }
  }
}

/// Opens what an item stands for.
public typealias DecoderOpener = (PlayerItem) throws(DecodeError) -> any Decoding
