public import LullEngine

/// Measures whether what a session plays can be heard, as docs/AUDIBILITY.md defines it: told of the frames
/// as the device will get them, it says of each second whether it was audible.
///
/// A value: a copy that is told of the frames that are queued looks ahead. How the frames are cut into
/// calls does not matter; a second may be told up to half a millisecond late, with the frames that follow.
public struct Meter: Sendable {
  /// Keeps what `chain` points to.
  private let coefficients: MeterCoefficients
  private var chain: MeterChain
  private var staging = InlineArray<4096, Float>(repeating: 0)

  /// A meter for interleaved frames. Rates and channels that are impossible count as the nearest possible.
  public init(rate: Int, channels: Int, policy: AudibilityPolicy = AudibilityPolicy()) {
    let rate = min(max(rate, 8000), 192_000)
    let channels = min(max(channels, 1), 8)
    let design = MeterFilter.design(rate: rate, channels: channels, policy: policy)
    coefficients = design.coefficients
    chain = MeterChain(rate: rate, channels: channels, filter: design.filter, policy: policy)
  }

  /// LB of the last 100 ms that were measured, in hundredths of a decibel; nil for silence.
  public var level: Int32? { chain.seconds.level }

  /// Whether the last samples were so quiet that the filters rest.
  public var isResting: Bool { chain.isResting }

  /// Measures interleaved frames and says which seconds ended in them. What is left of a whole frame is not
  /// measured.
  public mutating func process(_ samples: UnsafeBufferPointer<Float>) -> MeteredSeconds {
    guard let first = samples.baseAddress else { return MeteredSeconds() }
    return unsafe Self.process(first, samples.count / chain.channels, &chain, &staging)
  }

  private static func process(
    _ samples: UnsafePointer<Float>, _ frames: Int, _ chain: inout MeterChain,
    _ staging: inout InlineArray<4096, Float>
  ) -> MeteredSeconds {
    var span = staging.mutableSpan
    return unsafe span.withUnsafeMutableBufferPointer { room in
      guard let base = room.baseAddress else { return MeteredSeconds() }
      return unsafe chain.process(samples, frames: frames, staging: base, capacity: room.count)
    }
  }

  /// Measures frames of 16 bits as far as they are seen to be silent without converting them, and says how
  /// many frames those were and which seconds ended in them. The other frames are for `process`, converted.
  /// The samples may be those before a gain of at most 1 and before a downmix that does not amplify, with
  /// channels of their own.
  public mutating func skipQuiet(
    _ samples: UnsafeBufferPointer<Int16>, channels: Int
  ) -> (frames: Int, ended: MeteredSeconds) {
    guard let first = samples.baseAddress, channels > 0 else { return (0, MeteredSeconds()) }
    return unsafe chain.skipQuiet(first, frames: samples.count / channels, channels: channels)
  }
}
