public import Lull

/// Plays a queue of files without a gap (`AVQueuePlayer`), and decodes far ahead of what is heard.
///
/// The program gives it the application's audio sessions and calls ``pump()`` at every wake. It calls
/// `finishedHandlingWake()` after that and after ``onEventHandled``: then the program sleeps while its music
/// plays.
public final class QueuePlayer {
  /// The items and their order.
  public internal(set) var queue = Queue()
  /// The volume in percent. The gain is its cube, which the ear takes for an even scale.
  public private(set) var volume = 100
  /// The last trouble, until the next request that plays.
  public private(set) var note: String?
  /// Told of every change.
  public var observer: ((Change) -> Void)?
  /// Called when an event of the output, or of a stream, has been handled.
  public var onEventHandled: (() -> Void)?
  /// The linear factor by which an item's samples are multiplied before they are written; nil: every sample
  /// is played as it is. It is called when the item's description is known.
  public var itemGain: ((PlayerItem) -> Float)?

  /// The settings by which the loudness of the items is evened out; see ``setReplayGain(_:)``.
  public internal(set) var replayGain = ReplayGainSettings()

  let lowWaterSeconds: Double
  let openDecoder: DecoderOpener
  let makeOutput: OutputMaker
  var intent = Intent.stopped
  var interruptions: Interruptions = []
  var output: (any Output)?
  var feed = Feed.nothing
  var timeline = Timeline()
  /// The end of the flushed frames: nothing before it is heard any more, though the output's position may
  /// lag.
  var floor: UInt64 = 0
  /// The start of the segment that was heard last.
  var heardStart: UInt64?
  /// The place where playing goes on, while there is no output.
  var resting: Place?
  /// The number of items in a row that brought no frame.
  var barren = 0
  var block: [UInt8] = []

  /// A player without items.
  ///
  /// - Parameters:
  ///   - lowWaterSeconds: the player asks for frames when fewer seconds are left to be heard.
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

  /// A player whose sound goes through audio sessions of an application with the mode `audio`.
  public convenience init(
    _ application: Application, buffer: AudioSession.Buffer, lowWaterSeconds: Double,
    openDecoder: DecoderOpener? = nil
  ) {
    self.init(lowWaterSeconds: lowWaterSeconds, openDecoder: openDecoder ?? StreamDecoder.opener(application))
    {
      format, handler throws(LullError) in
      let own = buffer.shortened(for: format)
      return try AudioSession(application, category: .playback, format: format, buffer: own) { _, event in
        handler(event)
      }
    }
  }

  /// The status that others see.
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
