/// Bytes that are read from the front to the back.
struct ByteReader {
  private(set) var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  /// The next bytes; nil when there are fewer.
  mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
    guard count >= 0, count <= rest.count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  /// An integer of `count` bytes, at most four, the highest byte first.
  mutating func big(_ count: Int = 4) -> Int? { take(count)?.reduce(0) { $0 << 8 | Int($1) } }

  /// An integer of four bytes, the lowest byte first.
  mutating func little() -> Int? { take(4)?.reversed().reduce(0) { $0 << 8 | Int($1) } }

  /// An integer of four times seven bits (ID3v2, 6.2).
  mutating func syncsafe() -> Int? { take(4)?.reduce(0) { $0 << 7 | Int($1 & 0x7F) } }
}
