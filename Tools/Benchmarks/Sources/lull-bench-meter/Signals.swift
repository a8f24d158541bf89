import Glibc

/// Stereo at 48 kHz: so little that it stays in the cache, where frames are that have just been converted.
struct Signals {
  static let rate = 48_000
  static let frames = rate / 5

  /// Noise at about -20 dBFS: how loud it is does not matter to a filter.
  let noise: [Float]
  let silence: [Float]
  /// Dither of 16 bits.
  let dither: [Float]
  /// Heard in the high band alone.
  let hiss: [Float]
  /// Not heard in any band, so that both are worked out to the end.
  let ultrasound: [Float]
  let samples: [Int16]

  init() {
    var random = Random()
    func uniform() -> Float { Float(random.below(1 << 24)) / Float(1 << 23) - 1 }
    noise = (0..<2 * Self.frames).map { _ in 0.17 * uniform() }
    silence = [Float](repeating: 0, count: 2 * Self.frames)
    dither = (0..<2 * Self.frames).map { _ in (uniform() + uniform()).rounded() / 32768 }
    func tone(_ frequency: Double, _ amplitude: Double) -> [Float] {
      (0..<2 * Self.frames).map { index in
        Float(amplitude * sin(2 * .pi * frequency * Double(index / 2) / Double(Self.rate)))
      }
    }
    hiss = tone(10_000, 0.0316)
    ultrasound = tone(19_000, 1)
    samples = noise.map { Int16($0 * 32767) }
  }
}

/// xorshift: the same signals in every run.
struct Random {
  private var state: UInt64 = 0x9E37_79B9_7F4A_7C15

  mutating func below(_ limit: Int64) -> Int64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Int64(state % UInt64(limit))
  }
}
