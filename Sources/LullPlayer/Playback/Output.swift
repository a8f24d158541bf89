public import Lull

/// The place where frames are written, to be heard later: an `AudioSession`, whose members these are.
public protocol Output: AnyObject {
  /// The format of the frames that it takes.
  var format: AudioFormat { get }
  /// The number of frames that it takes now.
  var writableFrames: Int { get }
  /// The frame that is heard now.
  var position: UInt64 { get }
  /// Frames written since it was opened.
  var written: UInt64 { get }
  /// The state of the audio session.
  var state: AudioSession.State { get }
  /// The volume, 0 to 1.
  var gain: Float { get set }
  /// Writes whole frames; returns the number of frames that were taken.
  func write(_ bytes: UnsafeRawBufferPointer) -> Int
  /// Asks for `wantsFrames` once fewer frames than `queued` are left.
  func askForFrames(when queued: Int)
  /// Plays from here on.
  func play()
  /// Halts at the frame that is heard.
  func pause()
  /// Halts and drops the frames that are left.
  func stop()
  /// Plays the frames that are left; the state is then `drained`.
  func drain()
  /// Drops the frames that were not heard.
  func flush()
  /// Ends the audio session.
  func close()
}

extension AudioSession: Output {}

/// Opens an output for frames of a format; the handler is called for its events.
public typealias OutputMaker = (AudioFormat, @escaping (AudioSession.Event) -> Void) throws(LullError) ->
  any Output

extension FrameFormat {
  /// The part of a buffer that is used, of which 30 s fit into 16 MiB. A stream may tell any rate and many
  /// channels: with more of both than two at 192 kHz it gets 8 MiB.
  var bufferShare: Double {
    let whole = 30 * rate * frameBytes
    return min(1, Double(whole > 30 * 192_000 * 8 ? 1 << 23 : 1 << 24) / Double(whole))
  }
}

extension AudioSession.Buffer {
  func shortened(for format: AudioFormat) -> AudioSession.Buffer {
    let share = format.bufferShare
    return switch self {
    case .shallow(let seconds): .shallow(seconds: seconds * share)
    case .deep(let seconds, let lowWater): .deep(seconds: seconds * share, lowWater: lowWater * share)
    }
  }
}
