package import LullEngine

/// Measures whether the sound of a program can be heard, as docs/AUDIBILITY.md defines it. The meter gets the
/// frames as the device gets them, and says of each tenth of a second whether it was audible.
///
/// How the frames are divided into calls does not matter; a tenth may be told up to half a millisecond late,
/// with the frames that follow.
package struct Meter: Sendable {
  private var chain: MeterChain
  private var staging = InlineArray<4096, Float>(repeating: 0)

  /// An impossible rate or number of channels counts as the nearest possible.
  package init(rate: Int, channels: Int, policy: AudibilityPolicy = AudibilityPolicy()) {
    let rate = min(max(rate, 8000), 192_000)
    let channels = min(max(channels, 1), 8)
    chain = MeterChain(rate: rate, channels: channels, policy: policy)
  }

  /// The level LB of the low band of the last measured 100 ms, in hundredths of a decibel; nil for silence.
  package var level: Int32? { chain.tenths.level }
  package var isResting: Bool { chain.isResting }

  /// Measures interleaved frames and returns the tenths that ended in them. An incomplete last frame is not
  /// measured.
  package mutating func process(_ samples: UnsafeBufferPointer<Float>) -> MeteredTenths {
    guard let first = samples.baseAddress else { return MeteredTenths() }
    return unsafe Self.process(
      first, frames: samples.count / chain.channels, chain: &chain, staging: &staging)
  }

  package mutating func skipSilence(frames: Int) -> MeteredTenths {
    unsafe Self.process(nil, frames: frames, chain: &chain, staging: &staging)
  }

  private static func process(
    _ samples: UnsafePointer<Float>?, frames: Int, chain: inout MeterChain,
    staging: inout InlineArray<4096, Float>
  ) -> MeteredTenths {
    var span = staging.mutableSpan
    return unsafe span.withUnsafeMutableBufferPointer { room in
      guard let base = room.baseAddress else { return MeteredTenths() }
      return unsafe chain.process(samples, frames: frames, staging: base, capacity: room.count)
    }
  }

}
