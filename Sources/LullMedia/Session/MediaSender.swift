/// Turns frames of sound into datagrams of RTP with Opus (RFC 7587).
struct MediaSender: ~Copyable {
  private var encoder: OpusEncoder
  private var packet: RTPPacket
  private var encoded: [UInt8] = []
  private var datagram: [UInt8] = []
  /// The next packet of speech begins a talk spurt.
  private var isSilent = true
  private var hasToldSilence = false
  private(set) var packets: UInt32 = 0
  /// Of payload.
  private(set) var bytes: UInt32 = 0

  var lookahead: Int { encoder.lookahead }
  var source: UInt32 { packet.source }
  var timestamp: UInt32 { packet.timestamp }

  init(
    source: UInt32, payloadType: UInt8, sequence: UInt16, timestamp: UInt32, encoder: consuming OpusEncoder
  ) {
    self.encoder = encoder
    packet = RTPPacket(
      payloadType: payloadType, sequence: sequence, timestamp: timestamp, source: source, payload: [])
  }

  /// The datagram of a frame; nil during silence. The first frame of a silence is sent, though it is one
  /// byte: it lets the peer tell silence from loss.
  mutating func datagram(for frame: Span<Int16>) throws(OpusError) -> [UInt8]? {
    defer { packet.timestamp &+= UInt32(Opus.frame) }
    try encoder.encode(frame, into: &encoded)
    let isSpeech = encoded.count > 2
    if !isSpeech {
      defer { isSilent = true }
      guard !hasToldSilence else { return nil }
    }
    hasToldSilence = !isSpeech
    packet.marker = isSilent && isSpeech
    isSilent = !isSpeech
    return next()
  }

  private mutating func next() -> [UInt8] {
    packet.payload = encoded[...]
    datagram.removeAll(keepingCapacity: true)
    packet.append(to: &datagram)
    packet.payload = []
    packet.sequence &+= 1
    packets &+= 1
    bytes &+= UInt32(encoded.count)
    return datagram
  }

  /// Advances the timestamp over frames that were left out.
  mutating func skip(frames: Int) {
    guard frames > 0 else { return }
    packet.timestamp &+= UInt32(truncatingIfNeeded: frames * Opus.frame)
    isSilent = true
  }

  mutating func expectPacketLoss(_ percent: Int32) throws(OpusError) {
    try encoder.expectPacketLoss(percent)
  }
}
