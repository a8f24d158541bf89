public import LullEngine

/// Measures whether what a program plays can be heard, as docs/AUDIBILITY.md defines it: told of the frames
/// as the device gets them, it says of each tenth of a second whether it was audible.
///
/// A value. How the frames are cut into calls does not matter; a tenth may be told up to half a millisecond
/// late, with the frames that follow.
public struct Meter: Sendable {
  private var chain: MeterChain
  private var staging = InlineArray<4096, Float>(repeating: 0)

  /// A meter for interleaved frames. Rates and channels that are impossible count as the nearest possible.
  public init(rate: Int, channels: Int, policy: AudibilityPolicy = AudibilityPolicy()) {
    let rate = min(max(rate, 8000), 192_000)
    let channels = min(max(channels, 1), 8)
    chain = MeterChain(rate: rate, channels: channels, policy: policy)
  }

  /// LB of the low band of the last 100 ms that were measured, in hundredths of a decibel; nil for silence.
  public var level: Int32? { chain.tenths.level }

  /// Whether the last samples were so quiet that the filters rest.
  public var isResting: Bool { chain.isResting }

  /// Measures interleaved frames and says which tenths ended in them. What is left of a whole frame is not
  /// measured.
  public mutating func process(_ samples: UnsafeBufferPointer<Float>) -> MeteredTenths {
    guard let first = samples.baseAddress else { return MeteredTenths() }
    return unsafe Self.process(first, samples.count / chain.channels, &chain, &staging)
  }

  private static func process(
    _ samples: UnsafePointer<Float>, _ frames: Int, _ chain: inout MeterChain,
    _ staging: inout InlineArray<4096, Float>
  ) -> MeteredTenths {
    var span = staging.mutableSpan
    return unsafe span.withUnsafeMutableBufferPointer { room in
      guard let base = room.baseAddress else { return MeteredTenths() }
      return unsafe chain.process(samples, frames: frames, staging: base, capacity: room.count)
    }
  }

  /// Measures so many frames that are known to be silent.
  public mutating func skipSilence(frames: Int) -> MeteredTenths {
    Self.skipSilence(frames, &chain, &staging)
  }

  private static func skipSilence(
    _ frames: Int, _ chain: inout MeterChain, _ staging: inout InlineArray<4096, Float>
  ) -> MeteredTenths {
    var span = staging.mutableSpan
    return unsafe span.withUnsafeMutableBufferPointer { room in
      guard let base = room.baseAddress else { return MeteredTenths() }
      return unsafe chain.process(nil, frames: frames, staging: base, capacity: room.count)
    }
  }
}
