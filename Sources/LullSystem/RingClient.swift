internal import CRing
internal import Synchronization

/// The half of a shared ring that the program writes, and its view of lull-audio's half. docs/PROTOCOL.md, "Sound", is
/// the contract.
@safe public final class RingClient {
  /// The memory's descriptor, which lull-audio gets; kept for a supervisor that is restarted.
  public let descriptor: DescriptorBox
  /// The frames that the ring holds.
  public let capacity: Int
  /// The bytes of one frame.
  public let frameBytes: Int
  let memory: SharedMemory
  private let words: UnsafeMutablePointer<lull_ring>

  /// A new ring, empty and stopped, at full gain. ENOMEM: there is not so much memory.
  /// The corresponding C functions are those of `SharedMemory.create`.
  public init(capacity: Int, frameBytes: Int) throws(SystemError) {
    precondition(capacity > 0 && frameBytes > 0, "a ring has room")
    let header = Int(LULL_RING_DATA)
    (memory, descriptor) = try SharedMemory.create(name: "lull-ring", count: header + capacity * frameBytes)
    (self.capacity, self.frameBytes) = (capacity, frameBytes)
    unsafe words = memory.base.assumingMemoryBound(to: lull_ring.self)
    setGain(1)
  }

  /// Where the frames stand.
  var frames: UnsafeMutableRawPointer { unsafe memory.base + Int(LULL_RING_DATA) }

  /// Play: frames written; capture: frames read.
  public var written: UInt64 { unsafe lull_ring_load64(&words.pointee.written) }
  /// What lies before this position and was not heard is dropped.
  public var flushed: UInt64 { unsafe lull_ring_load64(&words.pointee.flushed) }
  /// Play: the position that was heard at `movedAt`; capture: frames captured.
  public var moved: UInt64 { unsafe lull_ring_load64(&words.pointee.moved) }
  /// Play: frames handed to the device.
  public var taken: UInt64 { unsafe lull_ring_load64(&words.pointee.taken) }
  /// What lull-audio does; a word that is none of the states counts as `idle`.
  public var state: RingState { unsafe RingState(rawValue: lull_ring_load32(&words.pointee.state)) ?? .idle }
  /// Why it was given up.
  public var error: RingError { unsafe RingError(rawValue: lull_ring_load32(&words.pointee.error)) ?? .none }
  /// How often it ran dry; capture: ran over.
  public var starved: UInt32 { unsafe lull_ring_load32(&words.pointee.starved) }

  /// Moves the program's own position.
  func setWritten(_ position: UInt64) {
    unsafe lull_ring_store64(&words.pointee.written, position)
    // lull-audio stores `starved` and looks at `written` once more; the program stores `written` and looks at the state.
    // Without a full fence each could miss the other's word, and nobody would ring.
    atomicMemoryFence(ordering: .sequentiallyConsistent)
  }

  /// Drops what lies before a position.
  public func setFlushed(_ position: UInt64) { unsafe lull_ring_store64(&words.pointee.flushed, position) }
  /// Asks for the bell when `moved` is there or beyond; 0: never.
  public func setBell(at position: UInt64) { unsafe lull_ring_store64(&words.pointee.bell_at, position) }
  /// Says what is to be done.
  public func setCommand(_ command: RingRequest.Command) {
    unsafe lull_ring_store32(&words.pointee.command, command.rawValue)
  }
  /// Sets the program's own volume, 0 to 1.
  public func setGain(_ gain: Float) { unsafe lull_ring_store32(&words.pointee.gain, gain.bitPattern) }
  /// What was asked for last.
  public var gain: Float { unsafe Float(bitPattern: lull_ring_load32(&words.pointee.gain)) }

  /// `moved` and the moment of CLOCK_BOOTTIME, in nanoseconds, at which it was so.
  public var movement: (position: UInt64, nanoseconds: Int64) {
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
