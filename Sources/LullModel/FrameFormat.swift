/// The form of a sample in a ring, little-endian. Raw values are the protocol's words.
public enum SampleFormat: String, CaseIterable, Sendable {
  case u8
  case s16
  /// Signed 24 bits in three bytes.
  case s24
  case s32
  /// A float of 32 bits, full scale at 1.
  case f32

  /// The bytes of one sample.
  public var bytes: Int {
    switch self {
    case .u8: 1
    case .s16: 2
    case .s24: 3
    case .s32, .f32: 4
    }
  }
}

/// The frames of a session: fixed when the session is opened.
public struct FrameFormat: Hashable, Sendable {
  /// Frames per second.
  public var rate: Int
  /// Samples in a frame, in the order of WAV files: front left and right, front centre, low frequency, rear
  /// left and right, side left and right.
  public var channels: Int
  /// The form of a sample in the ring.
  public var sample: SampleFormat

  /// Returns nil for a rate or a number of channels that is impossible.
  public init?(rate: Int, channels: Int, sample: SampleFormat) {
    guard Bounds.sampleRates.contains(rate), Bounds.channels.contains(channels) else { return nil }
    (self.rate, self.channels, self.sample) = (rate, channels, sample)
  }

  /// The bytes of one frame.
  public var frameBytes: Int { channels * sample.bytes }
}
