/// Reads choices from the front of bytes; zeros when they are used up.
public struct ByteSource {
  private let bytes: [UInt8]
  private var place = 0

  /// Choices from these bytes.
  public init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// True when no bytes are left.
  public var isEmpty: Bool { place >= bytes.count }

  /// One byte.
  public mutating func byte() -> UInt8 {
    guard place < bytes.count else { return 0 }
    place += 1
    return bytes[place - 1]
  }

  /// A number of any size, in little-endian order.
  public mutating func number<Number: FixedWidthInteger>(_: Number.Type = Number.self) -> Number {
    var number: Number = 0
    for shift in stride(from: 0, to: Number.bitWidth, by: 8) {
      number |= Number(truncatingIfNeeded: byte()) << shift
    }
    return number
  }

  /// At most so many bytes.
  public mutating func take(_ count: Int) -> ArraySlice<UInt8> {
    let end = min(place + count, bytes.count)
    defer { place = end }
    return bytes[place..<end]
  }

  /// The rest of the bytes.
  public mutating func rest() -> ArraySlice<UInt8> { take(bytes.count) }

  /// True for half of the bytes.
  public mutating func flag() -> Bool { byte() & 1 == 1 }

  /// One of some choices.
  public mutating func pick<Choice>(_ choices: [Choice]) -> Choice { choices[Int(byte()) % choices.count] }
}
