/// Bytes that are read from the front to the back.
struct ByteReader {
  private(set) var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  /// Nil when there are fewer.
  mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
    guard count >= 0, count <= rest.count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  /// A whole number of so many bytes, at most four, the first the highest.
  mutating func big(_ count: Int = 4) -> Int? { take(count)?.reduce(0) { $0 << 8 | Int($1) } }

  /// A whole number of four bytes, the first the lowest.
  mutating func little() -> Int? { take(4)?.reversed().reduce(0) { $0 << 8 | Int($1) } }

  /// Four times seven bits (ID3v2, 6.2).
  mutating func syncsafe() -> Int? { take(4)?.reduce(0) { $0 << 7 | Int($1 & 0x7F) } }
}
