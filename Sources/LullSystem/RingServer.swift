internal import CRing
internal import Synchronization

/// What the program wants of its ring.
public struct RingRequest: Equatable, Sendable {
  /// What the program last asked for.
  public enum Command: UInt32, Sendable {
    case stop, play, pause, drain
  }

  /// Play: frames written; capture: frames read.
  public var written: UInt64
  /// Counts how often `written` was put back, so that other frames can be written there.
  public var rewound: UInt32
  /// What lies before this position and was not heard is dropped.
  public var flushed: UInt64
  /// The bell is due when `moved` is here or beyond; 0: never.
  public var bellAt: UInt64
  /// Nil for a word that is none of the four.
  public var command: Command?
  /// 0 to 1; NaN and what is below count as 0, what is above as 1.
  public var gain: Float
}

/// What lull-audio does with a ring; raw values are the protocol's.
public enum RingState: UInt32, Sendable {
  case idle, running, paused, starved, held, drained, cut
}

/// Why a ring was given up; raw values are the protocol's.
public enum RingError: UInt32, Sendable {
  case none, badPosition, noDevice, badFormat
}

/// The half of a shared ring that lull-audio writes, and its view of the program's half. Each word of the
/// program is read once by `request()`: it can change between two reads. docs/PROTOCOL.md, "Sound", is the
/// contract.
@safe public struct RingServer {
  /// Where the frames begin.
  public static let headerBytes = Int(LULL_RING_DATA)
  /// No session comes to such a position in the life of a machine: sums with what lies below cannot overflow.
  public static let positionLimit: UInt64 = 1 << 60

  private let memory: SharedMemory
  private let words: UnsafeMutablePointer<lull_ring>
  /// The frames that the ring holds.
  public let capacity: Int
  /// The bytes of one frame.
  public let frameBytes: Int

  /// Nil when the memory has another size than such a ring.
  public init?(_ memory: SharedMemory, capacity: Int, frameBytes: Int) {
    guard memory.count == Self.headerBytes + capacity * frameBytes else { return nil }
    self.memory = memory
    unsafe words = memory.base.assumingMemoryBound(to: lull_ring.self)
    (self.capacity, self.frameBytes) = (capacity, frameBytes)
  }

  /// Where the frames stand.
  public var frames: UnsafeMutableRawPointer { unsafe memory.base + Self.headerBytes }

  /// The program's words as they are now.
  public func request() -> RingRequest {
    // `rewound` first: who sees that the program has rewound sees what it has written since.
    let rewound = unsafe lull_ring_load32(&words.pointee.rewound)
    return unsafe RingRequest(
      written: lull_ring_load64(&words.pointee.written), rewound: rewound,
      flushed: lull_ring_load64(&words.pointee.flushed),
      bellAt: lull_ring_load64(&words.pointee.bell_at),
      command: RingRequest.Command(rawValue: lull_ring_load32(&words.pointee.command)),
      gain: Self.clamped(lull_ring_load32(&words.pointee.gain)))
  }

  private static func clamped(_ bits: UInt32) -> Float {
    let value = Float(bitPattern: bits)
    return value > 0 ? min(value, 1) : 0
  }

  /// The position that is heard (captured).
  public var moved: UInt64 { unsafe lull_ring_load64(&words.pointee.moved) }
  /// Frames handed to the device.
  public var taken: UInt64 { unsafe lull_ring_load64(&words.pointee.taken) }
  /// How often it ran dry.
  public var starved: UInt32 { unsafe lull_ring_load32(&words.pointee.starved) }
  /// The low half of the last `bellAt` for which the bell was rung.
  public var rungFor: UInt32 { unsafe lull_ring_load32(&words.pointee.rung_for) }
  /// What was said last; nil for a word that is none of the states.
  public var state: RingState? { unsafe RingState(rawValue: lull_ring_load32(&words.pointee.state)) }

  /// Says which position was heard at a moment of CLOCK_BOOTTIME, in nanoseconds.
  public func setMoved(_ position: UInt64, at moment: Int64) {
    unsafe lull_ring_store64(&words.pointee.moved_at, UInt64(clamping: moment))
    unsafe lull_ring_store64(&words.pointee.moved, position)
  }

  /// Says how many frames the device has got.
  public func setTaken(_ position: UInt64) { unsafe lull_ring_store64(&words.pointee.taken, position) }
  /// Says what is done with the ring now; returns the program's `written` as it is after that.
  @discardableResult
  public func setState(_ state: RingState) -> UInt64 {
    unsafe lull_ring_store32(&words.pointee.state, state.rawValue)
    // The program stores `written` and looks at the state, and rings only for some. Without a full fence each
    // could miss the other's word, and nobody would ring.
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    return unsafe lull_ring_load64(&words.pointee.written)
  }
  /// Says why it was given up.
  public func setError(_ error: RingError) { unsafe lull_ring_store32(&words.pointee.error, error.rawValue) }
  /// Says how often it ran dry.
  public func setStarved(_ count: UInt32) { unsafe lull_ring_store32(&words.pointee.starved, count) }
  /// Notes for which `bellAt` the bell was rung.
  public func setRung(for bellAt: UInt64) {
    unsafe lull_ring_store32(&words.pointee.rung_for, UInt32(truncatingIfNeeded: bellAt))
  }
}
