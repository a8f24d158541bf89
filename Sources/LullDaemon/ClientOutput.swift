import LullWire

/// How many bytes wait for all clients together.
final class OutputTotal {
  /// From here on an answer is made in small slices: many clients that take nothing must not cost much.
  static let plenty = 4 << 20
  /// When more wait, the clients for which most waits are dropped.
  static let maximum = 24 << 20

  fileprivate(set) var bytes = 0
  /// Answers that hold the numbers of the rest of a set.
  var memberLists = 0
}

/// What waits until a client takes it.
struct ClientOutput: ~Copyable {
  private(set) var bytes: [UInt8] = []
  private let total: OutputTotal

  init(countedIn total: OutputTotal) { self.total = total }

  var count: Int { bytes.count }
  var isEmpty: Bool { bytes.isEmpty }

  private var isScarce: Bool { total.bytes >= OutputTotal.plenty }
  /// Bytes of an answer that are made at once. While as many wait, no further request is read.
  var slice: Int { isScarce ? 1 << 10 : 1 << 14 }
  /// Records that are made between two looks at the slice.
  var step: Int { isScarce ? 1 : 32 }

  mutating func add(_ message: Message) {
    let before = bytes.count
    message.encodeTruncating(into: &bytes)
    total.bytes += bytes.count - before
  }

  mutating func add(line: [UInt8]) {
    bytes += line
    total.bytes += line.count
  }

  mutating func removeFirst(_ count: Int) {
    guard count < bytes.count else { return clear() }
    bytes.removeFirst(count)
    total.bytes -= count
  }

  /// Gives the room back too: a client that is idle costs none.
  mutating func clear() {
    total.bytes -= bytes.count
    bytes = []
  }
}
