/// Writes this side's reports and reads the peer's (RFC 3550, section 6.4).
struct ReportHistory {
  /// Seconds from 1900 to 1970.
  private static let epoch: UInt64 = 2_208_988_800
  private static let second: Int64 = 1_000_000_000

  let source: UInt32
  let name: String
  /// In 65536ths of a second; nil before the peer's first report block.
  private(set) var roundTrip: UInt32?
  private var peer: (report: UInt32, arrival: Int64)?
  /// The date minus the caller's clock, at the last report that was written.
  private var dateOffset: Int64?

  init(source: UInt32, name: String) { (self.source, self.name) = (source, name) }

  /// Reads a packet; returns the loss in percent that the peer has seen, if the packet tells it.
  mutating func note(_ packet: RTCPPacket, at now: Int64) -> Int32? {
    switch packet {
    case .senderReport(_, let information, let blocks):
      peer = (ReportHistory.middle(information.date), now)
      return note(blocks, at: now)
    case .receiverReport(_, let blocks): return note(blocks, at: now)
    case .canonicalName, .goodbye: return nil
    }
  }

  private mutating func note(_ blocks: [RTCPPacket.ReportBlock], at now: Int64) -> Int32? {
    guard let block = blocks.first(where: { $0.source == source }) else { return nil }
    if block.lastReport != 0, let dateOffset {
      let date = ReportHistory.middle(ReportHistory.networkDate(now + dateOffset))
      let time = Int32(bitPattern: date &- block.lastReport &- block.delay)
      // The units are coarse: the result for a short way can be below zero.
      roundTrip = UInt32(max(0, time))
    }
    return Int32(block.fractionLost) * 100 / 256
  }

  func peerReport(at now: Int64) -> (report: UInt32, delay: UInt32) {
    guard let peer else { return (0, 0) }
    return (peer.report, UInt32(clamping: (now - peer.arrival) * 4096 / (ReportHistory.second / 16)))
  }

  mutating func datagram(
    _ sent: RTCPPacket.SenderInformation, _ block: RTCPPacket.ReportBlock?, date: Int64, at now: Int64,
    isLast: Bool
  ) -> [UInt8] {
    dateOffset = date - now
    let blocks = block.map { [$0] } ?? []
    var bytes: [UInt8] = []
    let report: RTCPPacket =
      sent.packets > 0
      ? .senderReport(source: source, sent, blocks) : .receiverReport(source: source, blocks)
    report.append(to: &bytes)
    RTCPPacket.canonicalName(source: source, name).append(to: &bytes)
    if isLast { RTCPPacket.goodbye([source]).append(to: &bytes) }
    return bytes
  }

  /// Nanoseconds since 1970 as the date of NTP: 32 bits of seconds since 1900 and 32 bits of a fraction.
  static func networkDate(_ nanoseconds: Int64) -> UInt64 {
    let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: second)
    let fraction = (UInt64(max(0, rest)) << 32) / UInt64(second)
    return (UInt64(max(0, seconds)) &+ epoch) << 32 | fraction
  }

  private static func middle(_ date: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: date >> 16) }
}
