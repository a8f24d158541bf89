// Copying frames. A position of lull-audio that makes no sense is taken for the nearest one that does.
extension RingClient {
  /// Play: frames that were written and not played.
  package var queued: Int { RingClient.distance(from: moved, to: written, atMost: capacity) }

  /// Play: frames that can be written now.
  package var room: Int { capacity - queued }

  /// Capture: frames that can be read now.
  package var readable: Int { RingClient.distance(from: written, to: moved, atMost: capacity) }

  /// Play: writes as many whole frames as there is room for; returns their number.
  package func write(_ bytes: UnsafeRawBufferPointer) -> Int {
    let count = min(bytes.count / frameBytes, room)
    guard count > 0, let source = bytes.baseAddress else { return 0 }
    let start = written
    forEachPart(from: start, count: count) { place, offset, length in
      unsafe (frames + place).copyMemory(from: source + offset, byteCount: length)
    }
    setWritten(start &+ UInt64(count))
    return count
  }

  /// Capture: reads as many whole frames as are there and have room; returns their number. Frames that were
  /// overwritten by later ones before they were read are passed over.
  package func read(into bytes: UnsafeMutableRawBufferPointer) -> Int {
    let captured = moved
    let oldest = captured - min(captured, UInt64(capacity))
    let start = max(written, oldest)
    let available = RingClient.distance(from: start, to: captured, atMost: capacity)
    let count = min(bytes.count / frameBytes, available)
    guard count > 0, let target = bytes.baseAddress else { return 0 }
    forEachPart(from: start, count: count) { place, offset, length in
      unsafe (target + offset).copyMemory(from: frames + place, byteCount: length)
    }
    setWritten(start &+ UInt64(count))
    return count
  }

  /// Calls `body` for the one or two pieces of the ring that so many frames take up, with the piece's place
  /// in the ring, its first byte among the frames, and its number of bytes.
  private func forEachPart(from position: UInt64, count: Int, _ body: (Int, Int, Int) -> Void) {
    let place = Int(position % UInt64(capacity))
    let first = min(count, capacity - place)
    body(place * frameBytes, 0, first * frameBytes)
    if count > first { body(0, first * frameBytes, (count - first) * frameBytes) }
  }

  private static func distance(from start: UInt64, to end: UInt64, atMost limit: Int) -> Int {
    end > start ? Int(min(end - start, UInt64(limit))) : 0
  }
}
