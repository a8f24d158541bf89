public import Lull

/// Where frames are written and heard later: an `AudioSession`, whose members these are.
public protocol Output: AnyObject {
  /// The frames that it takes.
  var format: AudioFormat { get }
  /// Frames that it takes now.
  var writableFrames: Int { get }
  /// The frame that is heard now.
  var position: UInt64 { get }
  /// Frames written since it was opened.
  var written: UInt64 { get }
  /// What becomes of the sound.
  var state: AudioSession.State { get }
  /// The volume, 0 to 1.
  var gain: Float { get set }
  /// Writes whole frames; returns how many were taken.
  func write(_ bytes: UnsafeRawBufferPointer) -> Int
  /// Asks for `wantsFrames` when fewer frames are queued.
  func askForFrames(when queued: Int)
  /// Plays from here on.
  func play()
  /// Halts at the frame that is heard.
  func pause()
  /// Halts and drops what is left.
  func stop()
  /// Plays what is there; the state is then `drained`.
  func drain()
  /// Drops what was not heard.
  func flush()
  /// Ends it.
  func close()
}

extension AudioSession: Output {}

/// Opens an output for frames of a format; the handler is called for its events.
public typealias OutputMaker = (AudioFormat, @escaping (AudioSession.Event) -> Void) throws(LullError) ->
  any Output
