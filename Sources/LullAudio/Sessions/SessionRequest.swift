package struct SessionRequest: Sendable {
  package var id: UInt64
  package var program: UInt64
  /// The program's name, where lulld has told it.
  package var name: String?
  /// The hangover that the owner wants for the program; nil for that of the rule.
  package var silence: Interval?
  package var format: FrameFormat
  package var frames: Int
  package var order: AudioOrder
  /// Speech has long pauses.
  package var isSpoken: Bool
  /// The number of queued frames below which the session is reported as low; nil for never.
  package var lowWater: UInt64?
  /// The seconds of sound that the device gets ahead of the frame that plays.
  package var latency: Double

  /// In seconds, for a session that names no latency.
  package static let defaultLatency = 0.5
  /// In seconds, for a session that plays and records.
  package static let conversationLatency = 0.04
  /// In seconds: with less, the process would do nothing but wake up.
  static let latencies = 0.005...2.0

  /// An impossible latency becomes the nearest possible one.
  package init(
    id: UInt64, format: FrameFormat, frames: Int, order: AudioOrder = .play, isSpoken: Bool = false,
    lowWater: UInt64? = nil, latency: Double = defaultLatency, program: UInt64 = 0, silence: Interval? = nil
  ) {
    (self.program, self.silence) = (program, silence)
    (self.id, self.format, self.frames, self.order) = (id, format, frames, order)
    (self.isSpoken, self.lowWater) = (isSpoken, lowWater)
    let (least, most) = (Self.latencies.lowerBound, Self.latencies.upperBound)
    // NaN is not above the least latency either.
    self.latency = latency > least ? min(latency, most) : least
  }

  /// The duration of so many frames, at most an hour.
  func nanoseconds(_ frames: UInt64) -> Int64 {
    let rate = UInt64(format.rate)
    return Int64(min(frames, 3600 * rate) * 1_000_000_000 / rate)
  }
}
