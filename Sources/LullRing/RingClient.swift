internal import CRing
package import LullModel
package import LullSystem
internal import Synchronization

/// The program's end of a shared ring (docs/PROTOCOL-SOUND.md).
@safe package final class RingClient {
  /// lull-audio gets the memory's descriptor, after a restart of the daemon once more.
  package let descriptor: DescriptorBox
  /// In frames.
  package let capacity: Int
  package let frameBytes: Int
  let memory: SharedMemory
  private let words: UnsafeMutablePointer<lull_ring>

  /// A new ring, empty and stopped, at full gain. Throws the errors of `SharedMemory.create`; ENOMEM: there
  /// is not so much memory.
  package init(capacity: Int, frameBytes: Int) throws(SystemError) {
    precondition(capacity > 0 && frameBytes > 0, "a ring has room")
    let header = Int(LULL_RING_DATA)
    (memory, descriptor) = try SharedMemory.create(name: "lull-ring", count: header + capacity * frameBytes)
    (self.capacity, self.frameBytes) = (capacity, frameBytes)
    unsafe words = memory.base.assumingMemoryBound(to: lull_ring.self)
    setGain(1)
  }

  private var frames: UnsafeMutableRawPointer { unsafe memory.base + Int(LULL_RING_DATA) }

  /// Play: frames written; capture: frames read.
  package var written: UInt64 { unsafe lull_ring_load64(&words.pointee.written) }
  /// Frames before this position that were not played are dropped.
  package var flushed: UInt64 { unsafe lull_ring_load64(&words.pointee.flushed) }
  /// Play: the position that plays at the moment of `movement`; capture: frames captured.
  package var moved: UInt64 { unsafe lull_ring_load64(&words.pointee.moved) }
  /// Play: frames handed to the device.
  package var taken: UInt64 { unsafe lull_ring_load64(&words.pointee.taken) }
  /// An unknown word counts as `idle`.
  package var state: SessionState {
    unsafe SessionState(ringNumber: lull_ring_load32(&words.pointee.state)) ?? .idle
  }
  /// The reason why lull-audio gave the ring up.
  package var error: CutReason? { unsafe CutReason(ringNumber: lull_ring_load32(&words.pointee.error)) }
  /// How often the ring ran dry; capture: ran over.
  package var starved: UInt32 { unsafe lull_ring_load32(&words.pointee.starved) }

  private func setWritten(_ position: UInt64) {
    unsafe lull_ring_store64(&words.pointee.written, position)
    // lull-audio stores `starved` and reads `written` once more; the program stores `written` and reads the
    // state. Without a full fence each could miss the other's word, and nobody would ring.
    atomicMemoryFence(ordering: .sequentiallyConsistent)
  }

  package func setFlushed(_ position: UInt64) { unsafe lull_ring_store64(&words.pointee.flushed, position) }
  /// The doorbell rings when `moved` is there or beyond; 0: never.
  package func setDoorbell(at position: UInt64) {
    unsafe lull_ring_store64(&words.pointee.doorbell_at, position)
  }
  package func setTransport(_ transport: RingRequest.Transport) {
    unsafe lull_ring_store32(&words.pointee.transport, transport.rawValue)
  }
  /// From 0 to 1.
  package func setGain(_ gain: Float) { unsafe lull_ring_store32(&words.pointee.gain, gain.bitPattern) }
  package var gain: Float { unsafe Float(bitPattern: lull_ring_load32(&words.pointee.gain)) }

  /// `moved` and its moment of CLOCK_BOOTTIME, in nanoseconds.
  package var movement: (position: UInt64, nanoseconds: Int64) {
    // lull-audio writes the moment first: a pair that changed in between is read again.
    var position = moved
    for _ in 0..<4 {
      let moment = unsafe lull_ring_load64(&words.pointee.moved_at)
      let again = moved
      if again == position { return (position, Int64(clamping: moment)) }
      position = again
    }
    return (position, Clock.boottime())
  }
}

/// Copying frames. A position of lull-audio that makes no sense is taken for the nearest one that does.
extension RingClient {
  /// Play: frames that were written and not played.
  package var queued: Int { Self.distance(from: moved, to: written, atMost: capacity) }

  /// Play: frames that can be written now.
  package var room: Int { capacity - queued }

  /// Capture: frames that can be read now.
  package var readable: Int { Self.distance(from: written, to: moved, atMost: capacity) }

  /// Play: writes as many whole frames as there is room for, and returns their number.
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

  /// Capture: reads as many whole frames as are there and have room, and returns their number. Frames that
  /// were overwritten before they were read are passed over.
  package func read(into bytes: UnsafeMutableRawBufferPointer) -> Int {
    let captured = moved
    let oldest = captured - min(captured, UInt64(capacity))
    let start = max(written, oldest)
    let available = Self.distance(from: start, to: captured, atMost: capacity)
    let count = min(bytes.count / frameBytes, available)
    guard count > 0, let target = bytes.baseAddress else { return 0 }
    forEachPart(from: start, count: count) { place, offset, length in
      unsafe (target + offset).copyMemory(from: frames + place, byteCount: length)
    }
    setWritten(start &+ UInt64(count))
    return count
  }

  /// Calls `body` for the one or two pieces of the ring that so many frames take up, with the place of the
  /// piece in the ring, the offset of its first byte among the frames, and its size in bytes.
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
