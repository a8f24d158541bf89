internal import CSpeexDSP

/// speexdsp's adaptive jitter buffer, which holds the times of packets and not their payloads. All spans are
/// in samples of 48 kHz.
@safe struct SpeexJitterBuffer: ~Copyable {
  enum Turn {
    /// The packet with this sequence number, `offset` samples after the pointer.
    case packet(sequence: UInt16, offset: Int)
    /// Concealment that makes the delay longer.
    case insertion(span: Int)
    /// No packet; the next one would begin `span` samples after the timestamp.
    case missing(timestamp: UInt32, span: Int)
  }

  private let state: OpaquePointer

  /// `step` is a piece of concealment; a packet is to come `margin` samples before its turn.
  init(frame: Int, step: Int, margin: Int) {
    guard let created = unsafe jitter_buffer_init(Int32(frame)) else {
      preconditionFailure("out of memory")
    }
    unsafe state = created
    set(JITTER_BUFFER_SET_CONCEALMENT_SIZE, Int32(step))
    set(JITTER_BUFFER_SET_MARGIN, Int32(margin))
  }

  deinit { unsafe jitter_buffer_destroy(state) }

  private func set(_ request: Int32, _ value: Int32) {
    var value = value
    _ = unsafe jitter_buffer_ctl(state, request, &value)
  }

  /// The timestamp that is played next.
  var pointer: UInt32 { UInt32(bitPattern: unsafe jitter_buffer_get_pointer_timestamp(state)) }

  func put(sequence: UInt16, timestamp: UInt32, span: Int) {
    var byte: CChar = 0
    unsafe withUnsafeMutablePointer(to: &byte) { byte in
      var entry = unsafe _JitterBufferPacket(
        data: byte, len: 1, timestamp: timestamp, span: UInt32(span), sequence: sequence,
        user_data: UInt32(sequence))
      unsafe jitter_buffer_put(state, &entry)
    }
  }

  /// A turn has at most `span` samples unless a packet is longer.
  func get(_ span: Int) -> Turn {
    var byte: CChar = 0
    var offset: Int32 = 0
    var entry = unsafe _JitterBufferPacket()
    let result = unsafe withUnsafeMutablePointer(to: &byte) { byte in
      unsafe entry.data = byte
      unsafe entry.len = 1
      return unsafe jitter_buffer_get(state, &entry, Int32(span), &offset)
    }
    let (sequence, timestamp, length) = unsafe (entry.user_data, entry.timestamp, Int(entry.span))
    switch result {
    case JITTER_BUFFER_OK:
      return .packet(sequence: UInt16(truncatingIfNeeded: sequence), offset: Int(offset))
    case JITTER_BUFFER_INSERTION: return .insertion(span: length)
    default: return .missing(timestamp: timestamp, span: length)
    }
  }

  func reset() { unsafe jitter_buffer_reset(state) }

  /// A frame has been played; `remaining` taken samples are still to be played.
  func tick(remaining: Int) { unsafe jitter_buffer_remaining_span(state, UInt32(remaining)) }
}
