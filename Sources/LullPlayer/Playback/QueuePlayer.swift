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
  /// The settings by which the loudness of the items is evened out; see ``setReplayGain(_:)``.
  public private(set) var replayGain = ReplayGainSettings()

  let lowWaterSeconds: Double
  let openDecoder: DecoderOpener
  let makeOutput: OutputMaker
  var intent = Intent.stopped
  /// The causes of silence while the player is to play.
  var isInterrupted = false, hasNoDevice = false
  var output: (any SoundOutput)?
  var feed = Feed.nothing
  var timeline = ItemTimeline()
  /// The end of the flushed frames: nothing before it is heard any more, though the output's position may
  /// lag.
  var floor: UInt64 = 0
  var heardStart: UInt64?
  /// The place where playing goes on, while there is no output.
  var resting: Place?
  /// The number of items in a row that brought no frame.
  var barren = 0
  var block: [Float] = []

  /// A player without items, which asks for frames when fewer seconds are left to be heard.
  package init(
    lowWaterSeconds: Double, openDecoder: @escaping DecoderOpener = FileDecoder.open,
    makeOutput: @escaping OutputMaker
  ) {
    (self.lowWaterSeconds, self.openDecoder, self.makeOutput) = (lowWaterSeconds, openDecoder, makeOutput)
  }

  /// A player whose sound goes through audio sessions of an application with the mode `audio`.
  ///
  /// It asks for frames when fewer than `lowWaterSeconds` are left to be heard. `openDecoder` opens the
  /// items; nil: ``opener(_:)``.
  public convenience init(
    _ application: Application, buffer: AudioSession.Buffer, lowWaterSeconds: Double,
    openDecoder: DecoderOpener? = nil
  ) {
    self.init(lowWaterSeconds: lowWaterSeconds, openDecoder: openDecoder ?? Self.opener(application)) {
      format, handler throws(LullError) in
      let own = buffer.shortened(for: format)
      return try AudioSession(application, category: .playback, format: format, buffer: own) { _, event in
        handler(event)
      }
    }
  }

  /// Opens files and streams, for an application of the modes `audio` and `externalAccessory`.
  public static func opener(_ application: Application) -> DecoderOpener {
    { [weak application] item throws(DecodeError) in
      guard case .stream(let url) = item.location else { return try FileDecoder.open(item) }
      guard let application else { throw .unreadable("the program has ended") }
      return try StreamDecoder(url: url) { descriptor, onReadable throws(LullError) in
        let line = try application.hold(descriptor, as: .accessory, onReadable: onReadable)
        return { line.release() }
      }
    }
  }

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

  /// The reason why a request cannot be carried out, in one text line.
  public struct Refusal: Error, Equatable {
    /// The text line.
    public let reason: String

    /// A refusal.
    public init(reason: String) { self.reason = reason }
  }

  /// The place that is heard, or would be: seconds into an item.
  struct Place {
    var item: ItemID
    var seconds: Double
  }

  enum Intent { case stopped, paused, playing }

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

  /// The status that others see.
  public var status: Status {
    switch intent {
    case .stopped: .stopped
    case .paused: .paused
    case .playing: isInterrupted || hasNoDevice ? .interrupted : .playing
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

  /// Evens out the loudness of the items from here on; the current item is begun anew at the frame that is
  /// heard.
  public func setReplayGain(_ settings: ReplayGainSettings) {
    guard settings != replayGain else { return }
    replayGain = settings
    observer?(.replayGain)
    guard output != nil, let place else { return }
    // Another output is needed: products have more digits than their factors.
    park(at: place)
    if intent == .playing { go(to: place.item, seconds: place.seconds) }
  }

  /// An item counts as in its album when a neighbour in the queue is of the same one, and the queue is played
  /// in its own order.
  func factor(of item: PlayerItem) -> Float? {
    let items = queue.items
    let neighbours = queue.index(of: item.id).map { [$0 - 1, $0 + 1].filter(items.indices.contains) } ?? []
    let album = queue.isShuffled ? nil : item.tags.album
    let inAlbum = album != nil && neighbours.contains { items[$0].tags.album == album }
    return replayGain.factor(for: item.description?.gain ?? ReplayGain(), inAlbum: inAlbum)
  }

  /// The state to remember now.
  public var savedState: SavedState {
    var state = SavedState()
    state.entries = queue.items.map(\.entry)
    (state.index, state.seconds) = (currentItem.flatMap { queue.index(of: $0.id) }, position)
    (state.volume, state.replayGain) = (volume, replayGain)
    (state.repeatMode, state.isShuffled) = (queue.repeatMode, queue.isShuffled)
    return state
  }

  /// Restores a state, paused: a request that starts the player must not start music that nobody asked for.
  public func restore(_ state: SavedState) {
    for entry in state.entries { queue.append(entry, description: (try? describe(entry)) ?? nil) }
    queue.repeatMode = state.repeatMode
    setVolume(state.volume)
    setReplayGain(state.replayGain)
    defer { if state.isShuffled { queue.shuffle(true) } }
    guard let index = state.index, queue.items.indices.contains(index) else { return }
    park(at: Place(item: queue.items[index].id, seconds: state.seconds))
    setIntent(.paused)
  }
}
