/// The media of one call: frames in and datagrams out, datagrams in and frames out. A session makes no system
/// call and reads no clock; every time is in nanoseconds of one clock that the caller reads.
public struct MediaSession: ~Copyable {
  /// The settings that both sides have agreed on, and those of the sender.
  public struct Settings: Sendable {
    /// The payload type of Opus, in both directions.
    public var payloadType: UInt8 = 111
    /// The settings of the encoder.
    public var encoder = OpusEncoder.Settings()

    /// Creates the settings of a call.
    public init() {}
  }

  /// A received datagram.
  public enum DatagramKind: Equatable, Sendable {
    /// Sound of the peer.
    case media
    /// A report of the peer.
    case report
    /// The peer has left.
    case goodbye
    /// A packet with another payload type than that of the call.
    case otherPayloadType(UInt8)
    /// A datagram that does not belong to the call.
    case ignored
  }

  /// After so many nanoseconds of quiet, a second, another source may follow a source.
  private static let patience: Int64 = 1_000_000_000

  private let settings: Settings
  private var sender: MediaSender
  private var receiver: MediaReceiver?
  private var reports: ReportHistory
  private var counts = Counts()
  private var lastMedia: Int64 = 0

  /// Packets of all sources together.
  private struct Counts {
    var received = 0
    var late = 0
    var duplicate = 0
    var ignored = 0
    /// Of sources that were followed by others.
    var lost = 0
    var playout = MediaReceiver.Playout()
  }

  /// Creates a session, with random numbers where RFC 3550 wants them.
  public init(_ settings: Settings = Settings()) throws(OpusError) {
    self.settings = settings
    let source = UInt32.random(in: 1...(.max))
    sender = MediaSender(
      source: source, payloadType: settings.payloadType, sequence: .random(in: 0...(.max)),
      timestamp: .random(in: 0...(.max)), encoder: try OpusEncoder(settings.encoder))
    reports = ReportHistory(source: source, name: String(UInt64.random(in: 0...(.max)), radix: 36))
    receiver = nil
  }

  /// The datagram for a frame of 960 samples; nil during silence with DTX.
  public mutating func datagram(for frame: Span<Int16>) throws(OpusError) -> [UInt8]? {
    try sender.datagram(for: frame)
  }

  /// `frames` frames were left out, because the program slept or was late.
  public mutating func skip(frames: Int) { sender.skip(frames: frames) }

  /// The kind of a datagram if it came from the peer. Nothing is taken and nothing counted.
  public func kind(of datagram: ArraySlice<UInt8>) -> DatagramKind {
    if RTCPPacket.isControl(datagram) { return .report }
    guard let packet = RTPPacket(datagram), packet.source != sender.source else { return .ignored }
    guard packet.payloadType == settings.payloadType else { return .otherPayloadType(packet.payloadType) }
    return Opus.samples(of: packet.payload) == nil ? .ignored : .media
  }

  /// Forgets the source that plays, so that the next packet may be of any.
  public mutating func forgetSource() {
    addUp()
    receiver = nil
  }

  /// Takes a datagram from the peer.
  public mutating func receive(_ datagram: ArraySlice<UInt8>, at now: Int64) -> DatagramKind {
    let kind = kind(of: datagram)
    switch kind {
    case .report, .goodbye: return receiveControl(datagram, at: now)
    case .media: break
    case .otherPayloadType, .ignored:
      counts.ignored += 1
      return kind
    }
    guard let packet = RTPPacket(datagram), follow(packet, at: now) else { return ignored() }
    switch receiver?.take(packet, at: now) {
    case .taken?: counts.received += 1
    case .late?:
      counts.received += 1
      counts.late += 1
    case .duplicate?: counts.duplicate += 1
    case .refused?, nil: return ignored()
    }
    lastMedia = now
    return .media
  }

  /// The packet is of the source that plays, or of a source that takes its place.
  private mutating func follow(_ packet: RTPPacket, at now: Int64) -> Bool {
    if receiver?.source == packet.source { return true }
    let isQuiet = receiver == nil || now - lastMedia >= MediaSession.patience
    guard isQuiet, let next = try? MediaReceiver(packet) else { return false }
    addUp()
    receiver = next
    return true
  }

  private mutating func addUp() {
    guard let lost = receiver?.lost, let playout = receiver?.playout else { return }
    counts.lost += lost
    counts.playout.add(playout)
  }

  private mutating func ignored() -> DatagramKind {
    counts.ignored += 1
    return .ignored
  }

  private mutating func receiveControl(_ datagram: ArraySlice<UInt8>, at now: Int64) -> DatagramKind {
    guard let packets = RTCPPacket.read(datagram) else { return ignored() }
    for packet in packets {
      if let loss = reports.note(packet, at: now) { try? sender.expectPacketLoss(loss) }
    }
    let peer = receiver?.source
    let hasLeft = packets.contains { packet in
      guard case .goodbye(let sources) = packet else { return false }
      return peer.map(sources.contains) ?? true
    }
    return hasLeft ? .goodbye : .report
  }

  /// Writes the next samples of the peer's sound, a frame of 960 or as few as the device takes at a time;
  /// silence before the first packet.
  public mutating func play(into frame: inout [Int16], samples: Int = Opus.frame, at now: Int64) {
    guard receiver != nil else { return frame = Array(repeating: 0, count: samples) }
    receiver?.play(into: &frame, samples: samples, at: now)
  }

  /// The datagram of a report (RFC 3550, section 6), to be sent about every 5 s; `date` is in nanoseconds
  /// since 1970.
  public mutating func report(at now: Int64, date: Int64, isLast: Bool = false) -> [UInt8] {
    let sent = RTCPPacket.SenderInformation(
      date: ReportHistory.networkDate(date), timestamp: sender.timestamp, packets: sender.packets,
      bytes: sender.bytes)
    let block = receiver?.report(reports.peerReport(at: now))
    return reports.datagram(sent, block, date: date, at: now, isLast: isLast)
  }
}

extension MediaSession {
  /// The figures of the call so far.
  public var statistics: MediaStatistics {
    var playout = counts.playout
    if let own = receiver?.playout { playout.add(own) }
    let waits = playout.played > 0 ? Double(playout.waited) / Double(playout.played) / 1e6 : 0
    return MediaStatistics(
      sent: Int(sender.packets), received: counts.received, lost: counts.lost + (receiver?.lost ?? 0),
      recovered: playout.recovered, concealed: playout.concealed, late: counts.late,
      duplicate: counts.duplicate, ignored: counts.ignored,
      jitterMilliseconds: (receiver?.jitter.samples ?? 0) / 48,
      roundTripMilliseconds: reports.roundTrip.map { Double($0) / 65.536 },
      lookaheadMilliseconds: Double(sender.lookahead) / 48, waitMilliseconds: waits)
  }
}

/// The figures of a call.
public struct MediaStatistics: Equatable, Sendable {
  /// The packets sent.
  public var sent: Int
  /// The packets received, with late ones.
  public var received: Int
  /// The packets that did not come.
  public var lost: Int
  /// The frames that were missing when they were due, and came from the redundant copy in the next packet.
  public var recovered: Int
  /// The frames that were missing when they were due, and were guessed.
  public var concealed: Int
  /// The packets that came after their time.
  public var late: Int
  /// The packets that came twice.
  public var duplicate: Int
  /// The datagrams that did not belong to the call.
  public var ignored: Int
  /// The jitter of the arrivals (RFC 3550, A.8).
  public var jitterMilliseconds: Double
  /// The round trip time; nil when the peer sends no reports.
  public var roundTripMilliseconds: Double?
  /// The look-ahead of the encoder.
  public var lookaheadMilliseconds: Double
  /// The average wait of a packet for its turn.
  public var waitMilliseconds: Double

  /// The delay from the peer's mouth to the ear: a frame of 20 ms, the encoder's look-ahead, half the round
  /// trip, the wait in the jitter buffer and `device`, the queue behind that. The peer's own queues are not
  /// known here. Nil before the first packet.
  public func mouthToEarMilliseconds(device: Double) -> Double? {
    guard received > 0 else { return nil }
    return 20 + lookaheadMilliseconds + (roundTripMilliseconds ?? 0) / 2 + waitMilliseconds + device
  }
}
