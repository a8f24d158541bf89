/// The outcome of sending.
package enum SendOutcome: Equatable, Sendable {
  /// So many bytes were taken, perhaps not all.
  case sent(Int)
  /// No room now; wait until it is writable.
  case wouldBlock
  /// The peer is gone (EPIPE, ECONNRESET).
  case closed
}

/// The outcome of a read.
package enum ReadOutcome: Equatable, Sendable {
  /// So many bytes are in the buffer.
  case bytes(Int)
  /// Nothing now; wait until it is readable.
  case wouldBlock
  /// The peer has finished; nothing more will come.
  case endOfStream
}

/// Room for received bytes, used again for each read, so that reading allocates nothing.
package struct ReceiveBuffer: ~Copyable {
  private var storage: [UInt8]
  /// The number of bytes that the last read brought.
  package private(set) var count = 0

  /// Room for so many bytes.
  package init(capacity: Int) {
    precondition(capacity > 0, "a buffer needs room")
    storage = Array(repeating: 0, count: capacity)
  }

  /// The most that one read can bring.
  package var capacity: Int { storage.count }

  /// The bytes of the last read. Kept across the next read, the slice costs a copy of the buffer.
  package var received: ArraySlice<UInt8> { storage[..<count] }

  /// Lets a call fill the buffer; the call returns how many bytes it wrote, or -1.
  mutating func fill(atMost limit: Int = .max, _ call: (UnsafeMutableRawPointer?, Int) -> Int) -> Int {
    let result = unsafe storage.withUnsafeMutableBytes { room in
      unsafe call(room.baseAddress, min(room.count, max(0, limit)))
    }
    count = max(0, result)
    return result
  }
}

/// Makes an outcome of the result of a read.
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

/// Makes an outcome of the result of a send.
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
