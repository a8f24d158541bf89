/// Reads numbers in network order from the front of bytes. A number is nil when too few bytes are left.
struct ByteReader {
  private(set) var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  mutating func byte() -> UInt8? { rest.popFirst() }

  mutating func number<Number: FixedWidthInteger & UnsignedInteger>(_: Number.Type) -> Number? {
    guard let bytes = take(MemoryLayout<Number>.size) else { return nil }
    return bytes.reduce(0) { $0 << 8 | Number($1) }
  }

  mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
    guard count <= rest.count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }
}

extension [UInt8] {
  mutating func append<Number: FixedWidthInteger>(bigEndian number: Number) {
    for shift in stride(from: Number.bitWidth - 8, through: 0, by: -8) {
      append(UInt8(truncatingIfNeeded: number >> shift))
    }
  }
}
