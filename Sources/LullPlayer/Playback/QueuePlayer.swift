public import Lull

/// Plays a queue of files one after the other without a gap (`AVQueuePlayer`), far ahead of what is heard.
///
/// The program gives it the application's sessions, tells it of every wake with ``pump()``, and calls
/// `finishedHandlingWake()` when it has done so and after ``onEventHandled``: then it sleeps while its music
/// plays.
public final class QueuePlayer {
  /// What is seen from outside (`timeControlStatus`, with the words of MPRIS). Raw values are the protocol's
  /// words.
  public enum Status: String, Sendable {
    case stopped, paused, playing
    /// It was to play, and something else is heard instead, or the device is gone.
    case interrupted
  }

  /// What an observer is told.
  public enum Change: Sendable {
    case queue, currentItem, status, volume, repeatMode, shuffle, replayGain
    /// The position is not what follows from the time that has passed.
    case position
    /// There is something to tell the user: `note`.
    case note
  }

  /// What is heard, or would be.
  public struct Place: Equatable {
    /// The entry of the queue.
    public var item: ItemID
    /// Seconds into it.
    public var seconds: Double

    /// A place.
    public init(item: ItemID, seconds: Double) { (self.item, self.seconds) = (item, seconds) }
  }

  /// Why a command cannot be carried out, in one line.
  public struct Refusal: Error, Equatable {
    /// The line.
    public let reason: String

    /// A refusal.
    public init(reason: String) { self.reason = reason }
  }

  enum Intent {
    case stopped, paused, playing
  }

  /// Why nothing is heard though it is to play.
  struct Interruptions: OptionSet {
    let rawValue: UInt8
    static let otherSound = Interruptions(rawValue: 1)
    static let noDevice = Interruptions(rawValue: 2)
  }

  /// What is to be written next.
  enum Feed {
    case nothing
    /// Nothing is known yet of what is to be heard; there is no output.
    case opening(Source)
    case decoding(Source)
    /// All that is written is to be heard before the next item, which needs another output, or before the
    /// end.
    case draining(next: ItemID?)
  }

  /// What is played, in which order.
  public internal(set) var queue = Queue()
  /// In percent; the gain is its cube, which the ear takes for an even scale.
  public private(set) var volume = 100
  /// The last trouble, until the next command that plays.
  public private(set) var note: String?
  /// Told of every change.
  public var observer: ((Change) -> Void)?
  /// Called when an event of the output, or of a stream, has been handled.
  public var onEventHandled: (() -> Void)?
  /// The linear factor by which an item's samples are multiplied before they are written; nil: none are, and
  /// every sample is played as it is. Asked when it is known what the item is.
  public var itemGain: ((PlayerItem) -> Float)?

  /// How the loudness of the items is evened out; see ``setReplayGain(_:)``.
  public internal(set) var replayGain = ReplayGainSettings()

  let lowWaterSeconds: Double
  let openDecoder: DecoderOpener
  let makeOutput: OutputMaker
  var intent = Intent.stopped
  var interruptions: Interruptions = []
  var output: (any Output)?
  var feed = Feed.nothing
  var timeline = Timeline()
  /// The end of what was flushed: nothing before it is heard any more, though the output may not know yet.
  var floor: UInt64 = 0
  /// Where the segment that was heard last begins.
  var heardStart: UInt64?
  /// Where playing goes on, while there is no output.
  var resting: Place?
  /// Items that brought no frame, one after the other.
  var barren = 0
  var block: [UInt8] = []

  /// A player without items.
  ///
  /// - Parameters:
  ///   - lowWaterSeconds: it asks for frames when fewer seconds are left to be heard.
  ///   - openDecoder: opens the items.
  ///   - makeOutput: opens an output, when there is something to be heard.
  public init(
    lowWaterSeconds: Double, openDecoder: @escaping DecoderOpener = FileDecoder.open,
    makeOutput: @escaping OutputMaker
  ) {
    self.lowWaterSeconds = lowWaterSeconds
    self.openDecoder = openDecoder
    self.makeOutput = makeOutput
  }

  /// A player whose sound goes through sessions of an application with the mode `audio`.
  public convenience init(
    _ application: Application, buffer: AudioSession.Buffer, lowWaterSeconds: Double,
    openDecoder: DecoderOpener? = nil
  ) {
    self.init(lowWaterSeconds: lowWaterSeconds, openDecoder: openDecoder ?? StreamDecoder.opener(application))
    {
      format, handler throws(LullError) in
      try AudioSession(application, category: .playback, format: format, buffer: buffer) { _, event in
        handler(event)
      }
    }
  }

  /// What is seen from outside.
  public var status: Status {
    switch intent {
    case .stopped: .stopped
    case .paused: .paused
    case .playing: interruptions.isEmpty ? .playing : .interrupted
    }
  }

  /// The item that is heard.
  public var currentItem: PlayerItem? { place.flatMap { queue[$0.item] } ?? queue.currentItem }

  /// Seconds into the item that is heard.
  public var position: Double { place?.seconds ?? 0 }

  var place: Place? {
    guard let output, let (item, frame) = timeline.place(at: heardPosition) else { return resting }
    return Place(item: item, seconds: Double(frame) / Double(output.format.rate))
  }

  var heardPosition: UInt64 { max(output?.position ?? 0, floor) }

  /// Sets the volume, 0 to 100; it is heard at once.
  public func setVolume(_ percent: Int) {
    volume = min(100, max(0, percent))
    output?.gain = gain
    observer?(.volume)
  }

  var gain: Float {
    let part = Float(volume) / 100
    return part * part * part
  }

  func tell(_ note: String?) {
    guard self.note != note else { return }
    self.note = note
    observer?(.note)
  }

  func setIntent(_ new: Intent) {
    guard intent != new else { return }
    intent = new
    observer?(.status)
  }
}
