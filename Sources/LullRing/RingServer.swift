internal import CRing
package import LullModel
package import LullSystem
internal import Synchronization

/// The program's fields of its ring.
package struct RingRequest: Equatable, Sendable {
  package enum Transport: UInt32, Sendable {
    case stop, play, pause, drain
  }

  /// Play: frames written; capture: frames read.
  package var written: UInt64
  /// How often `written` was put back, so that other frames can be written there.
  package var rewound: UInt32
  /// Frames before this position that were not played are dropped.
  package var flushed: UInt64
  /// The doorbell rings when `moved` is here or beyond; 0: never.
  package var doorbellAt: UInt64
  /// Nil for an unknown word.
  package var transport: Transport?
  /// The volume, 0 to 1; NaN counts as 0.
  package var gain: Float
}

extension SessionState {
  package init?(ringNumber: UInt32) {
    guard let known = Self.allCases.first(where: { $0.ringNumber == ringNumber }) else { return nil }
    self = known
  }

  package var ringNumber: UInt32 {
    switch self {
    case .idle: LULL_RING_IDLE.rawValue
    case .running: LULL_RING_RUNNING.rawValue
    case .paused: LULL_RING_PAUSED.rawValue
    case .starved: LULL_RING_STARVED.rawValue
    case .held: LULL_RING_HELD.rawValue
    case .drained: LULL_RING_DRAINED.rawValue
    case .cut: LULL_RING_CUT.rawValue
    }
  }
}

extension CutReason {
  package init?(ringNumber: UInt32) {
    guard let known = Self.allCases.first(where: { $0.ringNumber == ringNumber }) else { return nil }
    self = known
  }

  package var ringNumber: UInt32 {
    switch self {
    case .badPosition: LULL_RING_BAD_POSITION.rawValue
    case .noDevice: LULL_RING_NO_DEVICE.rawValue
    case .badFormat: LULL_RING_BAD_FORMAT.rawValue
    case .denied: LULL_RING_DENIED.rawValue
    }
  }
}

/// lull-audio's end of a shared ring (docs/PROTOCOL-SOUND.md). Each field of the program is read once, by
/// `request()`: it can change between two reads.
@safe package struct RingServer {
  /// The place of the first frame in the memory, in bytes.
  package static let headerBytes = Int(LULL_RING_DATA)
  /// A position that no session reaches in the life of a machine: sums of positions below it cannot overflow.
  package static let positionLimit: UInt64 = 1 << 60

  private let memory: SharedMemory
  private let words: UnsafeMutablePointer<lull_ring>
  /// In frames.
  package let capacity: Int
  package let frameBytes: Int

  /// Nil when the memory has another size than such a ring.
  package init?(_ memory: SharedMemory, capacity: Int, frameBytes: Int) {
    guard memory.count == Self.headerBytes + capacity * frameBytes else { return nil }
    self.memory = memory
    unsafe words = memory.base.assumingMemoryBound(to: lull_ring.self)
    (self.capacity, self.frameBytes) = (capacity, frameBytes)
  }

  package var frames: UnsafeMutableRawPointer { unsafe memory.base + Self.headerBytes }

  package func request() -> RingRequest {
    // `rewound` is read first: a server that sees that the program has rewound also sees what it has written
    // since.
    let rewound = unsafe lull_ring_load32(&words.pointee.rewound)
    return unsafe RingRequest(
      written: lull_ring_load64(&words.pointee.written), rewound: rewound,
      flushed: lull_ring_load64(&words.pointee.flushed),
      doorbellAt: lull_ring_load64(&words.pointee.doorbell_at),
      transport: RingRequest.Transport(rawValue: lull_ring_load32(&words.pointee.transport)),
      gain: Self.clamped(lull_ring_load32(&words.pointee.gain)))
  }

  private static func clamped(_ bits: UInt32) -> Float {
    let value = Float(bitPattern: bits)
    return value > 0 ? min(value, 1) : 0
  }

  /// Play: the position that plays; capture: frames captured.
  package var moved: UInt64 { unsafe lull_ring_load64(&words.pointee.moved) }
  package var starved: UInt32 { unsafe lull_ring_load32(&words.pointee.starved) }
  /// The low half of the last `doorbellAt` for which the doorbell was rung.
  package var rungFor: UInt32 { unsafe lull_ring_load32(&words.pointee.rung_for) }
  /// Nil for an unknown word.
  package var state: SessionState? {
    unsafe SessionState(ringNumber: lull_ring_load32(&words.pointee.state))
  }

  /// `moment` is in nanoseconds of CLOCK_BOOTTIME.
  package func setMoved(_ position: UInt64, at moment: Int64) {
    unsafe lull_ring_store64(&words.pointee.moved_at, UInt64(clamping: moment))
    unsafe lull_ring_store64(&words.pointee.moved, position)
  }

  package func setTaken(_ position: UInt64) { unsafe lull_ring_store64(&words.pointee.taken, position) }

  /// Returns the program's `written`, read after that.
  @discardableResult
  package func setState(_ state: SessionState) -> UInt64 {
    unsafe lull_ring_store32(&words.pointee.state, state.ringNumber)
    // The program stores `written` and reads the state, and rings only in some states. Without a full fence
    // each could miss the other's word, and nobody would ring.
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    return unsafe lull_ring_load64(&words.pointee.written)
  }

  package func setError(_ reason: CutReason) {
    unsafe lull_ring_store32(&words.pointee.error, reason.ringNumber)
  }
  package func setStarved(_ count: UInt32) { unsafe lull_ring_store32(&words.pointee.starved, count) }
  package func setRung(for doorbellAt: UInt64) {
    unsafe lull_ring_store32(&words.pointee.rung_for, UInt32(truncatingIfNeeded: doorbellAt))
  }
}
