/// The packets of RTCP (RFC 3550, section 6) that a call needs.
enum RTCPPacket: Equatable, Sendable {
  /// The report of a source that sends, with what it receives of others.
  case senderReport(source: UInt32, SenderInformation, [ReportBlock])
  /// The report of a source that sends nothing, with what it receives of others.
  case receiverReport(source: UInt32, [ReportBlock])
  /// The canonical name of a source; it is written and not read.
  case canonicalName(source: UInt32, String)
  case goodbye([UInt32])

  /// The counts of a sender (section 6.4.1).
  struct SenderInformation: Equatable, Sendable {
    /// The date of the report, in seconds since 1900: 32 bits and 32 bits of a fraction.
    var date: UInt64
    /// The same moment on the clock of the RTP packets.
    var timestamp: UInt32
    var packets: UInt32
    /// Of payload.
    var bytes: UInt32
  }

  struct ReportBlock: Equatable, Sendable {
    var source: UInt32
    /// The share of lost packets since the last report, in 256ths.
    var fractionLost: UInt8
    /// The packets lost since the beginning; duplicates count against them.
    var lost: Int32
    /// The highest sequence number, with the number of its cycles in the upper half.
    var highestSequence: UInt32
    /// The jitter of the arrivals, in samples of 48 kHz.
    var jitter: UInt32
    /// The middle 32 bits of the date in the source's last report; 0 before a report came.
    var lastReport: UInt32
    /// The time since that report came, in 65536ths of a second.
    var delay: UInt32
  }

  private static let types: (sender: UInt8, receiver: UInt8, names: UInt8, goodbye: UInt8) = (
    200, 201, 202, 203
  )
  private static let canonicalNameItem: UInt8 = 1
  private static let maximumCount = 31

  /// Tells RTCP from RTP at a port that carries both (RFC 5761, section 4).
  static func isControl(_ datagram: ArraySlice<UInt8>) -> Bool {
    guard let type = datagram.dropFirst().first else { return false }
    return (192...223).contains(type)
  }
}

extension RTCPPacket {
  /// Reads a datagram, which holds several packets; those of other kinds are left out. Nil when the datagram
  /// does not pass the checks of RFC 3550, A.2.
  static func read(_ datagram: ArraySlice<UInt8>) -> [RTCPPacket]? {
    var reader = ByteReader(datagram)
    var packets: [RTCPPacket] = []
    var isFirst = true
    while !reader.rest.isEmpty {
      guard let head = reader.byte(), head >> 6 == 2, let type = reader.byte(),
        let words = reader.number(UInt16.self), let body = reader.take(4 * Int(words))
      else { return nil }
      if isFirst, head & 0x20 != 0 || (type != types.sender && type != types.receiver) { return nil }
      isFirst = false
      switch type {
      case types.sender, types.receiver:
        guard let report = report(body, of: type, blocks: Int(head & 0x1F)) else { return nil }
        packets.append(report)
      case types.goodbye:
        guard let sources = sources(body, Int(head & 0x1F)) else { return nil }
        packets.append(.goodbye(sources))
      default: break
      }
    }
    return isFirst ? nil : packets
  }

  private static func report(
    _ body: ArraySlice<UInt8>, of type: UInt8, blocks count: Int
  ) -> RTCPPacket? {
    var reader = ByteReader(body)
    guard let source = reader.number(UInt32.self) else { return nil }
    let information = type == types.sender ? SenderInformation(&reader) : nil
    if type == types.sender, information == nil { return nil }
    var blocks: [ReportBlock] = []
    for _ in 0..<count {
      guard let block = ReportBlock(&reader) else { return nil }
      blocks.append(block)
    }
    guard let information else { return .receiverReport(source: source, blocks) }
    return .senderReport(source: source, information, blocks)
  }

  private static func sources(_ body: ArraySlice<UInt8>, _ count: Int) -> [UInt32]? {
    var reader = ByteReader(body)
    var sources: [UInt32] = []
    for _ in 0..<count {
      guard let source = reader.number(UInt32.self) else { return nil }
      sources.append(source)
    }
    return sources
  }
}

extension RTCPPacket {
  /// A datagram begins with a report and has a canonical name.
  func append(to bytes: inout [UInt8]) {
    var body: [UInt8] = []
    let (type, count) = appendBody(to: &body)
    precondition(count <= RTCPPacket.maximumCount && body.count % 4 == 0, "not a packet of RTCP")
    bytes.append(0x80 | UInt8(count))
    bytes.append(type)
    bytes.append(bigEndian: UInt16(body.count / 4))
    bytes += body
  }

  private func appendBody(to body: inout [UInt8]) -> (type: UInt8, count: Int) {
    switch self {
    case .senderReport(let source, let information, let blocks):
      body.append(bigEndian: source)
      information.append(to: &body)
      for block in blocks { block.append(to: &body) }
      return (RTCPPacket.types.sender, blocks.count)
    case .receiverReport(let source, let blocks):
      body.append(bigEndian: source)
      for block in blocks { block.append(to: &body) }
      return (RTCPPacket.types.receiver, blocks.count)
    case .canonicalName(let source, let name):
      body.append(bigEndian: source)
      body += [RTCPPacket.canonicalNameItem, UInt8(clamping: name.utf8.count)] + name.utf8.prefix(255)
      // The list ends with at least one zero, at a whole word.
      body += Array(repeating: 0, count: 4 - body.count % 4)
      return (RTCPPacket.types.names, 1)
    case .goodbye(let sources):
      for source in sources { body.append(bigEndian: source) }
      return (RTCPPacket.types.goodbye, sources.count)
    }
  }
}

extension RTCPPacket.SenderInformation {
  fileprivate init?(_ reader: inout ByteReader) {
    guard let date = reader.number(UInt64.self), let timestamp = reader.number(UInt32.self),
      let packets = reader.number(UInt32.self), let bytes = reader.number(UInt32.self)
    else { return nil }
    self.init(date: date, timestamp: timestamp, packets: packets, bytes: bytes)
  }

  fileprivate func append(to bytes: inout [UInt8]) {
    bytes.append(bigEndian: date)
    for number in [timestamp, packets, self.bytes] { bytes.append(bigEndian: number) }
  }
}

extension RTCPPacket.ReportBlock {
  fileprivate init?(_ reader: inout ByteReader) {
    guard let source = reader.number(UInt32.self), let losses = reader.number(UInt32.self),
      let highest = reader.number(UInt32.self), let jitter = reader.number(UInt32.self),
      let last = reader.number(UInt32.self), let delay = reader.number(UInt32.self)
    else { return nil }
    // The loss stands in 24 bits with a sign, below the 8 bits of the fraction.
    let lost = Int32(bitPattern: losses << 8) >> 8
    self.init(
      source: source, fractionLost: UInt8(losses >> 24), lost: lost, highestSequence: highest, jitter: jitter,
      lastReport: last, delay: delay)
  }

  fileprivate func append(to bytes: inout [UInt8]) {
    let clamped = min(max(lost, -0x80_0000), 0x7F_FFFF)
    let losses = UInt32(fractionLost) << 24 | UInt32(bitPattern: clamped) & 0xFF_FFFF
    for number in [source, losses, highestSequence, jitter, lastReport, delay] {
      bytes.append(bigEndian: number)
    }
  }
}
