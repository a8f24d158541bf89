package enum SendOutcome: Equatable, Sendable {
  /// So many bytes were taken, perhaps not all.
  case sent(Int)
  case wouldBlock
  case closed
}

package enum ReadOutcome: Equatable, Sendable {
  case bytes(Int)
  case wouldBlock
  case endOfStream
}

/// Room for received bytes, used again for each read, so that reading allocates nothing.
package struct ReceiveBuffer: ~Copyable {
  private var storage: [UInt8]
  package private(set) var count = 0

  package init(capacity: Int) {
    precondition(capacity > 0, "a buffer needs room")
    storage = Array(repeating: 0, count: capacity)
  }

  package var capacity: Int { storage.count }

  /// A slice that outlives the next read costs a copy of the buffer.
  package var received: ArraySlice<UInt8> { storage[..<count] }

  /// `call` returns how many bytes it wrote, or -1.
  mutating func fill(atMost limit: Int = .max, _ call: (UnsafeMutableRawPointer?, Int) -> Int) -> Int {
    let result = unsafe storage.withUnsafeMutableBytes { room in
      unsafe call(room.baseAddress, min(room.count, max(0, limit)))
    }
    count = max(0, result)
    return result
  }
}

func readOutcome(
  _ name: String, on origin: DescriptorOrigin, _ call: () -> Int
) throws(SystemError) -> ReadOutcome {
  do {
    let count = try systemCall(name, on: origin, call)
    return count == 0 ? .endOfStream : .bytes(count)
  } catch {
    guard error.isWouldBlock else { throw error }
    return .wouldBlock
  }
}

func sendOutcome(
  _ name: String, on origin: DescriptorOrigin, _ call: () -> Int
) throws(SystemError) -> SendOutcome {
  do {
    return try .sent(systemCall(name, on: origin, call))
  } catch {
    if error.isWouldBlock { return .wouldBlock }
    if error.isConnectionLost { return .closed }
    throw error
  }
}
