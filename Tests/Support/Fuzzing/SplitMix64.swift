/// Random numbers that a seed repeats on every machine (SplitMix64, Steele, Lea and Flood 2014).
public struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// The numbers of a seed.
  public init(seed: UInt64) { state = seed }

  /// The next number.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return Self.scattered(state)
  }

  /// A number that depends on every bit of another one.
  public static func scattered(_ number: UInt64) -> UInt64 {
    var z = number
    z = (z ^ (z &>> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z &>> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z &>> 31)
  }
}

extension SplitMix64 {
  /// A number in 0 ..< `bound`.
  public mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

  /// True in so many of 100 cases.
  public mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

  /// One of some elements.
  public mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

  /// A number from -1 to 1, of 24 bits.
  public mutating func uniform<Number: BinaryFloatingPoint>(_: Number.Type = Number.self) -> Number {
    Number(next() >> 40) / Number(1 << 23) - 1
  }
}
