/// What became of bytes that were to be sent.
public enum SendOutcome: Equatable, Sendable {
  /// So many bytes were taken, perhaps not all.
  case sent(Int)
  /// No room now; wait until it is writable.
  case wouldBlock
  /// The peer is gone (EPIPE, ECONNRESET).
  case closed
}

/// What a read found.
public enum ReadOutcome: Equatable, Sendable {
  /// So many bytes are in the buffer.
  case bytes(Int)
  /// Nothing now; wait until it is readable.
  case wouldBlock
  /// The peer has finished; nothing more will come.
  case endOfStream
}

/// Room for received bytes, used again for each read, so that reading allocates nothing.
public struct ReceiveBuffer: ~Copyable {
  private var storage: [UInt8]
  /// How many bytes the last read brought.
  public private(set) var count = 0

  /// Room for so many bytes.
  public init(capacity: Int) {
    precondition(capacity > 0, "a buffer needs room")
    storage = Array(repeating: 0, count: capacity)
  }

  /// The most that one read can bring.
  public var capacity: Int { storage.count }

  /// The bytes of the last read. Kept across the next read, the slice costs a copy of the buffer.
  public var received: ArraySlice<UInt8> { storage[..<count] }

  /// Lets a call fill the buffer; the call returns how many bytes it wrote, or -1.
  mutating func fill(atMost limit: Int = .max, _ call: (UnsafeMutableRawPointer?, Int) -> Int) -> Int {
    let result = unsafe storage.withUnsafeMutableBytes { room in
      unsafe call(room.baseAddress, min(room.count, max(0, limit)))
    }
    count = max(0, result)
    return result
  }
}

/// Gives a failed or finished read its name.
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

/// Gives a failed or partial send its name.
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
