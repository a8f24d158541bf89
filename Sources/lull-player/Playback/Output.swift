import LullSystem

/// How an output stands; the words are those of the ring (docs/PROTOCOL.md, "Sound").
enum OutputState: Equatable {
  case idle, running, paused, starved, held, drained, cut
}

/// What an output tells the player.
enum OutputEvent: Equatable {
  /// The mark of `askForFrames` was reached.
  case wantsFrames
  case stateChanged(OutputState)
  case interruptionBegan
  case interruptionEnded(shouldResume: Bool)
  /// The sound goes to another device; nil: to none.
  case routeChanged(device: String?)
  /// It is closed; one line says why.
  case failed(String)
}

/// Why no output could be opened, in one line.
struct OutputError: Error, Equatable {
  let reason: String
}

/// Where frames are written and heard later. Positions count frames since it was opened.
protocol Output: AnyObject {
  var format: FrameFormat { get }
  /// Room for frames.
  var writableFrames: Int { get }
  /// The frame that is heard now.
  var position: UInt64 { get }
  var written: UInt64 { get }
  var state: OutputState { get }
  /// 0 to 1.
  var gain: Float { get set }
  /// Takes whole frames, as many as there is room for; returns how many.
  func write(_ bytes: UnsafeRawBufferPointer) -> Int
  /// `wantsFrames` once when fewer than this are left to be heard.
  func askForFrames(when queued: Int)
  func play()
  func pause()
  /// Drops what is left.
  func stop()
  /// Plays what is there, then the state is `drained`.
  func drain()
  /// Drops what is written and not heard, at the frame that is heard.
  func flush()
  func close()
}

/// Opens an output.
typealias OutputMaker = (FrameFormat, @escaping (OutputEvent) -> Void) throws(OutputError) -> any Output
