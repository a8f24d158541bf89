/// Puts packets in order and decides when each is played. speexdsp's adaptive jitter buffer holds the times.
/// A store beside it holds the payloads, which speexdsp would not show before their turn. All spans are in
/// samples of 48 kHz.
///
/// A frame and a quarter are held back at first, and three quarters afterwards: the packet after a lost one,
/// with its FEC copy, is then there when the lost one is due. The delay adapts in steps of a frame and is
/// bounded.
struct JitterBuffer: ~Copyable {
  enum Turn: Equatable {
    /// A packet, after a gap of `gap` samples.
    case packet(Stored, gap: Int)
    /// A packet that is lost, late or not sent; `next` is the packet that follows, if it has come.
    case missing(span: Int, next: Stored?)
    /// Concealment that makes the delay longer.
    case insertion(span: Int)
    case nothing
  }

  struct Stored: Equatable {
    var payload: ArraySlice<UInt8>
    var sequence: UInt16
    var timestamp: UInt32
    var span: Int
    /// The time of the arrival, in nanoseconds of the caller's clock.
    var arrival: Int64
  }

  /// At most so many samples are held back: 200 ms.
  private static let bound = 10 * Opus.frame
  /// speexdsp has room for so many.
  private static let mostPackets = 200
  /// The distance from which a packet belongs to another time: its sender began anew, or was asleep.
  private static let farAway = Opus.rate
  /// The lateness against the first packet at which a packet is still in time: 5 ms.
  private static let slack = Opus.frame / 4

  private let times = SpeexJitterBuffer(
    frame: Opus.frame, step: Opus.step, margin: Opus.frame - JitterBuffer.slack)
  private(set) var stored: [Stored] = []
  private var state = State.empty

  private enum State {
    case empty
    /// The first packet is held back; `waited` samples of that time are over. Until a packet is taken
    /// speexdsp has no pointer.
    case filling(waited: Int)
    /// There is something to play until the end of the newest packet.
    case playing(newestEnd: UInt32)
  }

  private var pointer: UInt32 { times.pointer }

  /// Returns false when the packet's time has passed.
  mutating func put(_ packet: Stored) -> Bool {
    let end = packet.timestamp &+ UInt32(packet.span)
    if case .playing(let newestEnd) = state {
      let distance = Int32(bitPattern: packet.timestamp &- pointer).magnitude
      guard distance > JitterBuffer.farAway else {
        let newestEnd = Int32(bitPattern: end &- newestEnd) > 0 ? end : newestEnd
        state = .playing(newestEnd: newestEnd)
        // A late packet is put all the same: it tells speexdsp that the delay is too short.
        putTimes(packet)
        guard Int32(bitPattern: end &- pointer) > 0 else { return false }
        stored.append(packet)
        drop(before: newestEnd)
        return true
      }
      reset()
    }
    if case .empty = state { state = .filling(waited: 0) }
    putTimes(packet)
    stored.append(packet)
    if let newest = newestEnd, drop(before: newest) {
      // speexdsp begins with the oldest packet that it has been told of.
      times.reset()
      for packet in stored { putTimes(packet) }
    }
    return true
  }

  private var newestEnd: UInt32? {
    stored.map { $0.timestamp &+ UInt32($0.span) }.max { Int32(bitPattern: $1 &- $0) > 0 }
  }

  /// Drops packets that would not be played any more: while nothing plays, they would fill the memory.
  @discardableResult private mutating func drop(before newestEnd: UInt32) -> Bool {
    let count = stored.count
    stored.removeAll { packet in
      let age = Int32(bitPattern: newestEnd &- packet.timestamp &- UInt32(packet.span))
      return age >= JitterBuffer.bound
    }
    // Many packets may claim the same time.
    if stored.count > JitterBuffer.mostPackets { stored.removeFirst() }
    return stored.count < count
  }

  private func putTimes(_ packet: Stored) {
    times.put(sequence: packet.sequence, timestamp: packet.timestamp, span: packet.span)
  }

  private mutating func reset() {
    times.reset()
    stored.removeAll()
    state = .empty
  }

  /// Takes the next thing to be played, of at most `span` samples unless a packet is longer. `played` is the
  /// number of samples that are played at a time; as many pass when there is nothing yet.
  mutating func take(_ span: Int, played: Int) -> Turn {
    switch state {
    case .empty: return .nothing
    case .filling(let waited) where waited + played <= Opus.frame + JitterBuffer.slack:
      state = .filling(waited: waited + played)
      return .nothing
    case .filling:
      let turn = get(span)
      let start = pointer
      let ahead = newestEnd.map { Int32(bitPattern: $0 &- start) } ?? 0
      state = .playing(newestEnd: start &+ UInt32(bitPattern: max(0, ahead)))
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
    switch times.get(span) {
    case .packet(let sequence, let offset):
      guard let packet = takeStored(sequence) else { return .missing(span: span, next: nil) }
      return .packet(packet, gap: max(0, offset) / Opus.step * Opus.step)
    case .insertion(let length): return .insertion(span: wholeSteps(length, or: span))
    case .missing(let timestamp, let length):
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
    // Packets that were passed over are not played any more.
    stored.removeAll { Int32(bitPattern: $0.timestamp &- packet.timestamp) < 0 }
    return packet
  }

  mutating func tick(remaining: Int) {
    guard case .playing = state else { return }
    times.tick(remaining: remaining)
  }
}
