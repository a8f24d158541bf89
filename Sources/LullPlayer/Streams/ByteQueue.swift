/// Bytes that wait, in order.
struct ByteQueue {
  private var storage: [UInt8] = []
  private var start = 0

  var count: Int { storage.count - start }
  var isEmpty: Bool { count == 0 }

  mutating func append(_ bytes: some Collection<UInt8>) { storage.append(contentsOf: bytes) }

  func prefix(_ wanted: Int) -> ArraySlice<UInt8> { storage[start...].prefix(wanted) }

  mutating func take(_ wanted: Int) -> ArraySlice<UInt8> {
    let taken = prefix(max(0, wanted))
    start += taken.count
    compact()
    return taken
  }

  /// Frees the taken bytes when they are more than the waiting bytes.
  private mutating func compact() {
    guard start > storage.count / 2, start > 1 << 16 || start == storage.count else { return }
    storage.removeFirst(start)
    start = 0
  }
}
