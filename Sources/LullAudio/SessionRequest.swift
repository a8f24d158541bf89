public import LullEngine
public import LullSystem

/// How a session is to be heard; raw values are the words of the messages.
public enum SessionOrder: String, CaseIterable, Sendable {
  /// As it is.
  case play
  /// Quieter, while another one is in front.
  case duck
  /// Not at all: its frames wait.
  case hold
}

/// What is known of a session when it is opened.
public struct SessionRequest: Sendable {
  /// Its number.
  public var id: UInt64
  /// The number of its program.
  public var program: UInt64
  /// The hangover that the owner wants for the program; nil: the rule's.
  public var silence: Interval?
  /// The format of its frames.
  public var format: FrameFormat
  /// The frames that its ring holds.
  public var frames: Int
  /// How it is heard in the beginning.
  public var order: SessionOrder
  /// It is speech, which has long pauses.
  public var isSpoken: Bool
  /// Fewer frames than this left to be heard are reported; nil: never.
  public var lowWater: UInt64?
  /// Seconds that are handed to the device ahead of what is heard.
  public var latency: Double

  /// What the device gets ahead, in seconds, where the session does not say.
  public static let defaultLatency = 0.5
  /// The same for sessions that play and record.
  public static let conversationLatency = 0.04
  /// Seconds ahead that are possible: less would be all wake-ups.
  static let latencies = 0.005...2.0

  /// A session; a latency beyond the possible is brought back to it.
  public init(
    id: UInt64, format: FrameFormat, frames: Int, order: SessionOrder = .play, isSpoken: Bool = false,
    lowWater: UInt64? = nil, latency: Double = defaultLatency, program: UInt64 = 0, silence: Interval? = nil
  ) {
    (self.program, self.silence) = (program, silence)
    (self.id, self.format, self.frames, self.order) = (id, format, frames, order)
    (self.isSpoken, self.lowWater) = (isSpoken, lowWater)
    let (least, most) = (Self.latencies.lowerBound, Self.latencies.upperBound)
    // What is no number is not above the least either.
    self.latency = latency > least ? min(latency, most) : least
  }

  /// How long so many frames last, in nanoseconds; at most an hour.
  func nanoseconds(_ frames: UInt64) -> Int64 {
    let rate = UInt64(format.rate)
    return Int64(min(frames, 3600 * rate) * 1_000_000_000 / rate)
  }
}
