/// FLAC in Ogg (RFC 9639, 10.1): the packets in sequence are a FLAC stream.
final class OggFlacCodec: OggCodec {
  private let flac: FlacDecoder
  let format: StreamFormat

  /// Nil when the first packet holds no STREAMINFO.
  init?(_ packet: OggPackets.Packet) {
    let head = unsafe Array(packet.bytes)
    // 0x7F FLAC, two bytes of version, the number of headers, then a FLAC stream's first 42 bytes.
    guard head.count >= 51, let flac = FlacDecoder(isFramed: true) else { return nil }
    self.flac = flac
    flac.feed(head[9...])
    let packed = head[27..<35].reduce(0) { $0 << 8 | Int($1) }
    format = StreamFormat(rate: packed >> 44, channels: (packed >> 41 & 7) + 1)
  }

  func takeHeader(_ packet: OggPackets.Packet) -> Bool? {
    flac.feed(unsafe Array(packet.bytes)[...])
    var none: [Float] = []
    var step = PushStep.decoded
    while step == .decoded { step = flac.decode(onto: &none) }
    if case .failed = step { return nil }
    // The mark of the last block.
    return unsafe (packet.bytes.first ?? 0x80) & 0x80 == 0
  }

  func restart() { flac.restart() }

  func decode(_ packet: OggPackets.Packet, onto samples: inout [Float]) {
    flac.feed(unsafe Array(packet.bytes)[...])
    if packet.isLast { flac.finish() }
    while flac.decode(onto: &samples) == .decoded {}
  }
}
