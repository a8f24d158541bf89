internal import CRing
package import LullModel
package import LullSystem
internal import Synchronization

/// The half of a shared ring that the program writes, and its view of lull-audio's half. docs/PROTOCOL.md,
/// "Sound", is the contract.
@safe package final class RingClient {
  /// The memory's descriptor, which lull-audio gets. It is kept for a daemon that is restarted.
  package let descriptor: DescriptorBox
  /// The frames that the ring holds.
  package let capacity: Int
  package let frameBytes: Int
  let memory: SharedMemory
  private let words: UnsafeMutablePointer<lull_ring>

  /// A new ring, empty and stopped, at full gain. ENOMEM: there is not so much memory.
  /// The corresponding C functions are those of `SharedMemory.create`.
  package init(capacity: Int, frameBytes: Int) throws(SystemError) {
    precondition(capacity > 0 && frameBytes > 0, "a ring has room")
    let header = Int(LULL_RING_DATA)
    (memory, descriptor) = try SharedMemory.create(name: "lull-ring", count: header + capacity * frameBytes)
    (self.capacity, self.frameBytes) = (capacity, frameBytes)
    unsafe words = memory.base.assumingMemoryBound(to: lull_ring.self)
    setGain(1)
  }

  var frames: UnsafeMutableRawPointer { unsafe memory.base + Int(LULL_RING_DATA) }

  /// Play: frames written; capture: frames read.
  package var written: UInt64 { unsafe lull_ring_load64(&words.pointee.written) }
  /// Frames before this position that were not played are dropped.
  package var flushed: UInt64 { unsafe lull_ring_load64(&words.pointee.flushed) }
  /// Play: the position that was played at `movement`'s moment; capture: frames captured.
  package var moved: UInt64 { unsafe lull_ring_load64(&words.pointee.moved) }
  /// Play: frames handed to the device.
  package var taken: UInt64 { unsafe lull_ring_load64(&words.pointee.taken) }
  /// The state that lull-audio has set; an unknown word counts as `idle`.
  package var state: SessionState {
    unsafe SessionState(ringNumber: lull_ring_load32(&words.pointee.state)) ?? .idle
  }
  /// The reason why lull-audio gave the ring up; nil while it has not.
  package var error: CutReason? { unsafe CutReason(ringNumber: lull_ring_load32(&words.pointee.error)) }
  /// The number of times that the ring ran dry; capture: ran over.
  package var starved: UInt32 { unsafe lull_ring_load32(&words.pointee.starved) }

  func setWritten(_ position: UInt64) {
    unsafe lull_ring_store64(&words.pointee.written, position)
    // lull-audio stores `starved` and reads `written` once more; the program stores `written` and reads the
    // state. Without a full fence each could miss the other's word, and nobody would ring.
    atomicMemoryFence(ordering: .sequentiallyConsistent)
  }

  package func setFlushed(_ position: UInt64) { unsafe lull_ring_store64(&words.pointee.flushed, position) }
  /// Asks for the doorbell when `moved` is there or beyond; 0: never.
  package func setDoorbell(at position: UInt64) {
    unsafe lull_ring_store64(&words.pointee.doorbell_at, position)
  }
  package func setTransport(_ transport: RingRequest.Transport) {
    unsafe lull_ring_store32(&words.pointee.transport, transport.rawValue)
  }
  /// Sets the program's own volume, 0 to 1.
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
