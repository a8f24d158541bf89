/// Turns packets of one source into frames of sound, in time.
final class MediaReceiver {
  enum Arrival: Equatable {
    case taken
    case late
    case duplicate
    /// The packet is not of this stream, or not Opus.
    case refused
  }

  /// The missing frames in a row (200 ms) that are concealed for a peer that did not announce silence. After
  /// more the decoder would go on with noise as loud as the last sound.
  private static let patience = 10

  let source: UInt32
  private var tracker: SequenceTracker
  private(set) var jitter = InterarrivalJitter()
  private(set) var playout = Playout()
  private var buffer = JitterBuffer()
  private var decoder: OpusDecoder
  private var samples: [Int16] = []
  /// The peer is silent (DTX), so that missing frames are no loss.
  private var isSilent = false
  private var missedInARow = 0

  struct Playout: Equatable {
    /// Lost frames that a redundant copy replaced.
    var recovered = 0
    /// Lost frames that were guessed.
    var concealed = 0
    var played = 0
    /// The sum of the waits of the packets that were played, in nanoseconds.
    var waited: Int64 = 0
  }

  /// The packet must still be handed to `take`.
  init(_ first: RTPPacket) throws(OpusError) {
    source = first.source
    tracker = SequenceTracker(expecting: first.sequence)
    decoder = try OpusDecoder()
  }

  var lost: Int { Int(tracker.lost) }

  func take(_ packet: RTPPacket, at now: Int64) -> Arrival {
    guard let span = Opus.samples(of: packet.payload), span % Opus.step == 0 else { return .refused }
    switch tracker.note(packet.sequence) {
    case .duplicate: return .duplicate
    case .strange: return .refused
    case .inOrder, .overtaken, .restarted: break
    }
    jitter.note(timestamp: packet.timestamp, at: now)
    let isInTime = buffer.put(
      JitterBuffer.Stored(
        payload: packet.payload, sequence: packet.sequence, timestamp: packet.timestamp, span: span,
        arrival: now))
    return isInTime ? .taken : .late
  }

  func play(into frame: inout [Int16], samples count: Int, at now: Int64) {
    while samples.count < count {
      let before = samples.count
      // A loss is concealed a frame at a time: the redundant copy is as long.
      let turn = buffer.take(max(count, Opus.frame) - before, played: count)
      playTurn(turn, at: now)
      // Silence when nothing has come yet, or when a packet announces a length that it does not hold.
      if samples.count == before { samples += repeatElement(0, count: count - before) }
    }
    frame.removeAll(keepingCapacity: true)
    frame += samples[..<count]
    samples.removeSubrange(..<count)
    buffer.tick(remaining: samples.count)
  }

  /// A packet that cannot be decoded is concealed.
  private func playTurn(_ turn: JitterBuffer.Turn, at now: Int64) {
    do throws(OpusError) {
      switch turn {
      case .packet(let packet, let gap):
        if gap > 0 { try decoder.conceal(gap, onto: &samples) }
        playout.played += 1
        playout.waited += now - packet.arrival
        // RFC 6716, 3.1: a packet of one byte, the table of contents alone, is a frame that was not sent.
        isSilent = packet.payload.count <= 2
        missedInARow = 0
        try decoder.decode(packet.payload, onto: &samples)
      case .missing(let span, let next?):
        if !isSilent { playout.recovered += 1 }
        try decoder.recover(span, from: next.payload, onto: &samples)
      case .missing(let span, nil):
        missedInARow += 1
        guard isSilent || missedInARow <= MediaReceiver.patience else {
          samples += repeatElement(0, count: span)
          return
        }
        if !isSilent { playout.concealed += 1 }
        try decoder.conceal(span, onto: &samples)
      case .insertion(let span): try decoder.conceal(span, onto: &samples)
      case .nothing: break
      }
    } catch {
      try? decoder.conceal(Opus.frame, onto: &samples)
    }
  }

  /// What was received of the source since the last call; `peer` is its last report, and the time since
  /// that came.
  func report(_ peer: (report: UInt32, delay: UInt32)) -> RTCPPacket.ReportBlock {
    RTCPPacket.ReportBlock(
      source: source, fractionLost: tracker.takeFractionLost(), lost: tracker.lost,
      highestSequence: tracker.highest, jitter: UInt32(jitter.samples), lastReport: peer.report,
      delay: peer.delay)
  }
}

extension MediaReceiver.Playout {
  mutating func add(_ other: MediaReceiver.Playout) {
    recovered += other.recovered
    concealed += other.concealed
    played += other.played
    waited += other.waited
  }
}
