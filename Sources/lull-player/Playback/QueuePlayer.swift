import Lull

/// Plays a queue of files one after the other without a gap (`AVQueuePlayer`), far ahead of what is heard.
final class QueuePlayer {
  /// What is seen from outside (`timeControlStatus`, with the words of MPRIS). Raw values are the protocol's words.
  enum Status: String {
    case stopped, paused, playing
    /// It was to play, and something else is heard instead.
    case interrupted
  }

  /// What an observer is told.
  enum Change {
    case queue, currentItem, status, volume, repeatMode
    /// The position is not what follows from the time that has passed.
    case position
    /// There is something to tell the user: `note`.
    case note
  }

  /// What is heard, or would be.
  struct Place: Equatable {
    var item: ItemID
    var seconds: Double
  }

  /// Why a command cannot be carried out, in one line.
  struct Refusal: Error, Equatable {
    let reason: String
  }

  enum Intent {
    case stopped, paused, playing
  }

  /// What is to be written next.
  enum Feed {
    case nothing
    case decoding(Source)
    /// All that is written is to be heard before the next item, which needs another output, or before the end.
    case draining(next: ItemID?)
  }

  var queue = Queue()
  /// In percent; the gain is its cube, which the ear takes for an even scale.
  private(set) var volume = 100
  /// The last trouble, until the next command that plays.
  private(set) var note: String?
  var observer: ((Change) -> Void)?
  /// Called when an event of the output has been handled.
  var onEventHandled: (() -> Void)?

  let lowWaterSeconds: Double
  let makeOutput: OutputMaker
  var intent = Intent.stopped
  var isInterrupted = false
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

  /// It asks for frames when fewer than `lowWaterSeconds` are left to be heard.
  init(lowWaterSeconds: Double, makeOutput: @escaping OutputMaker) {
    self.lowWaterSeconds = lowWaterSeconds
    self.makeOutput = makeOutput
  }

  var status: Status {
    switch intent {
    case .stopped: .stopped
    case .paused: .paused
    case .playing: isInterrupted ? .interrupted : .playing
    }
  }

  /// The item that is heard.
  var currentItem: PlayerItem? { place.flatMap { queue[$0.item] } ?? queue.currentItem }

  /// Seconds into the item that is heard.
  var position: Double { place?.seconds ?? 0 }

  var place: Place? {
    guard let output, let (item, frame) = timeline.place(at: heardPosition) else { return resting }
    return Place(item: item, seconds: Double(frame) / Double(output.format.rate))
  }

  var heardPosition: UInt64 { max(output?.position ?? 0, floor) }

  /// Sets the volume, 0 to 100; it is heard at once.
  func setVolume(_ percent: Int) {
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
