package import Lull

/// The place where frames are written, to be heard later: an `AudioSession`, whose members these are.
package protocol SoundOutput: AnyObject {
  var format: AudioFormat { get }
  var writableFrames: Int { get }
  var position: UInt64 { get }
  var written: UInt64 { get }
  var state: AudioSession.State { get }
  var gain: Float { get set }
  func write(_ bytes: UnsafeRawBufferPointer) -> Int
  func askForFrames(when queued: Int)
  func play()
  func pause()
  func stop()
  func drain()
  func flush()
  func close()
}

extension AudioSession: SoundOutput {}

/// Opens an output for frames of a format; the handler is called for its events.
package typealias OutputMaker = (AudioFormat, @escaping (AudioSession.Event) -> Void) throws(LullError) ->
  any SoundOutput

extension FrameFormat {
  /// The part of a buffer that is used, of which 30 s fit into 16 MiB. A stream may tell any rate and many
  /// channels: with more of both than two at 192 kHz it gets 8 MiB.
  var bufferShare: Double {
    let whole = 30 * rate * frameBytes
    return min(1, Double(whole > 30 * 192_000 * 8 ? 1 << 23 : 1 << 24) / Double(whole))
  }

  /// True when frames of the other format fit without loss and without a gap.
  func takes(_ other: FrameFormat) -> Bool {
    other.rate == rate && other.channels == channels && (sample == .f32 || other.sample == sample)
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

extension UnsafeMutableBufferPointer<Float> {
  /// The samples in 16 bits, in the same place: those of 16 bits are what they were.
  func shortened() -> UnsafeRawBufferPointer {
    let bytes = UnsafeMutableRawBufferPointer(self)
    for index in indices {
      let sample = Swift.max(-32_768, Swift.min(32_767, unsafe (self[index] * 32_768).rounded()))
      unsafe bytes.storeBytes(of: Int16(sample), toByteOffset: 2 * index, as: Int16.self)
    }
    return unsafe UnsafeRawBufferPointer(rebasing: bytes[..<(2 * count)])
  }
}
