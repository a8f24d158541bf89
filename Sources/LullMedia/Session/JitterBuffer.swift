internal import CSpeexDSP

/// Puts packets in order and decides when each is played: speexdsp's adaptive jitter buffer, which holds the
/// times, beside a store of the payloads, which it would not show before their turn. All spans are in samples
/// of 48 kHz.
///
/// A frame and a quarter are kept back at first, and three quarters afterwards, so that the packet after a
/// lost one, with its FEC copy, is there when the lost one is due. The delay adapts in steps of a frame and
/// is bounded.
@safe struct JitterBuffer: ~Copyable {
  /// What is to be played next.
  enum Turn: Equatable {
    /// A packet, after a gap of so many samples.
    case packet(Stored, gap: Int)
    /// Lost, late or not sent; `next` is the packet that follows, when it is there already.
    case missing(span: Int, next: Stored?)
    /// More delay is needed.
    case insertion(span: Int)
    /// Nothing has come yet.
    case nothing
  }

  struct Stored: Equatable {
    var payload: ArraySlice<UInt8>
    var sequence: UInt16
    var timestamp: UInt32
    var span: Int
    /// Nanoseconds of the caller's clock.
    var arrival: Int64
  }

  /// More than this is never kept back: 200 ms.
  private static let bound = 10 * Opus.frame
  /// speexdsp has room for no more.
  private static let mostPackets = 200
  /// A packet that is farther away belongs to another time: its sender began anew, or was asleep.
  private static let farAway = Opus.rate

  /// By so much a packet may come later than the first one did and is in time all the same: 5 ms.
  private static let slack = Opus.frame / 4

  private let state: OpaquePointer
  private var stored: [Stored] = []
  private var phase = Phase.empty

  private enum Phase {
    case empty
    /// The first packet is kept back, of which time so much is over. Until something is taken speexdsp has
    /// no pointer.
    case filling(waited: Int)
    /// Until the end of the newest packet there is something to play.
    case playing(newestEnd: UInt32)
  }

  init() {
    guard let created = unsafe jitter_buffer_init(Int32(Opus.frame)) else {
      preconditionFailure("out of memory")
    }
    unsafe state = created
    set(JITTER_BUFFER_SET_CONCEALMENT_SIZE, Int32(Opus.step))
    set(JITTER_BUFFER_SET_MARGIN, Int32(Opus.frame - JitterBuffer.slack))
  }

  deinit { unsafe jitter_buffer_destroy(state) }

  private func set(_ request: Int32, _ value: Int32) {
    var value = value
    _ = unsafe jitter_buffer_ctl(state, request, &value)
  }

  /// The timestamp that is played next.
  private var pointer: UInt32 { UInt32(bitPattern: unsafe jitter_buffer_get_pointer_timestamp(state)) }

  /// Takes a packet; false when its time has passed.
  mutating func put(_ packet: Stored) -> Bool {
    let end = packet.timestamp &+ UInt32(packet.span)
    if case .playing(let newestEnd) = phase {
      let distance = Int32(bitPattern: packet.timestamp &- pointer).magnitude
      guard distance > JitterBuffer.farAway else {
        if Int32(bitPattern: end &- newestEnd) > 0 { phase = .playing(newestEnd: end) }
        // A late one is put all the same: it tells speexdsp that the delay is too short.
        putTimes(packet)
        guard Int32(bitPattern: end &- pointer) > 0 else { return false }
        stored.append(packet)
        return true
      }
      reset()
    }
    if case .empty = phase { phase = .filling(waited: 0) }
    putTimes(packet)
    stored.append(packet)
    return true
  }

  private func putTimes(_ packet: Stored) {
    var byte: CChar = 0
    unsafe withUnsafeMutablePointer(to: &byte) { byte in
      var entry = unsafe _JitterBufferPacket(
        data: byte, len: 1, timestamp: packet.timestamp, span: UInt32(packet.span), sequence: packet.sequence,
        user_data: UInt32(packet.sequence))
      unsafe jitter_buffer_put(state, &entry)
    }
  }

  private mutating func reset() {
    unsafe jitter_buffer_reset(state)
    stored.removeAll()
    phase = .empty
  }

  /// Takes what is to be played next, of at most `span` samples unless a packet is longer. `played`: what is
  /// played at a time, and passes when there is nothing yet.
  mutating func take(_ span: Int, played: Int) -> Turn {
    switch phase {
    case .empty: return .nothing
    case .filling(let waited) where waited + played <= Opus.frame + JitterBuffer.slack:
      phase = .filling(waited: waited + played)
      return .nothing
    case .filling:
      let turn = get(span)
      let start = pointer
      let ahead = stored.map { Int32(bitPattern: $0.timestamp &+ UInt32($0.span) &- start) }.max() ?? 0
      phase = .playing(newestEnd: start &+ UInt32(bitPattern: max(0, ahead)))
      return turn
    case .playing(let newestEnd):
      for _ in 0..<JitterBuffer.mostPackets where Int32(bitPattern: newestEnd &- pointer) > JitterBuffer.bound
      {
        _ = get(span)
      }
      return get(span)
    }
  }

  private mutating func get(_ span: Int) -> Turn {
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
      guard let packet = takeStored(UInt16(truncatingIfNeeded: sequence)) else {
        return .missing(span: span, next: nil)
      }
      return .packet(packet, gap: max(0, Int(offset)) / Opus.step * Opus.step)
    case JITTER_BUFFER_INSERTION: return .insertion(span: wholeSteps(length, or: span))
    default:
      let missing = wholeSteps(length, or: span)
      return .missing(span: missing, next: stored.first { $0.timestamp == timestamp &+ UInt32(missing) })
    }
  }

  private func wholeSteps(_ span: Int, or other: Int) -> Int {
    let steps = span / Opus.step * Opus.step
    return steps > 0 ? steps : other
  }

  private mutating func takeStored(_ sequence: UInt16) -> Stored? {
    guard let index = stored.firstIndex(where: { $0.sequence == sequence }) else { return nil }
    let packet = stored.remove(at: index)
    // What was passed over is not played any more.
    stored.removeAll { Int32(bitPattern: $0.timestamp &- packet.timestamp) < 0 }
    return packet
  }

  /// A frame has been played; so many samples that were taken are still to be played.
  mutating func tick(remaining: Int) {
    guard case .playing = phase else { return }
    unsafe jitter_buffer_remaining_span(state, UInt32(remaining))
  }
}
