extension RTCPPacket.SenderInformation {
  init?(_ reader: inout ByteReader) {
    guard let date = reader.number(UInt64.self), let timestamp = reader.number(UInt32.self),
      let packets = reader.number(UInt32.self), let bytes = reader.number(UInt32.self)
    else { return nil }
    self.init(date: date, timestamp: timestamp, packets: packets, bytes: bytes)
  }

  func append(to bytes: inout [UInt8]) {
    bytes.append(bigEndian: date)
    for number in [timestamp, packets, self.bytes] { bytes.append(bigEndian: number) }
  }
}

extension RTCPPacket.ReportBlock {
  init?(_ reader: inout ByteReader) {
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

  func append(to bytes: inout [UInt8]) {
    let clamped = min(max(lost, -0x80_0000), 0x7F_FFFF)
    let losses = UInt32(fractionLost) << 24 | UInt32(bitPattern: clamped) & 0xFF_FFFF
    for number in [source, losses, highestSequence, jitter, lastReport, delay] {
      bytes.append(bigEndian: number)
    }
  }
}
