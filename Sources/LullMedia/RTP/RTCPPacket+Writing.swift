extension RTCPPacket {
  /// Appends the packet as it is sent. A datagram begins with a report and has a canonical name.
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
