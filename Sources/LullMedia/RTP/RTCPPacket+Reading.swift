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
