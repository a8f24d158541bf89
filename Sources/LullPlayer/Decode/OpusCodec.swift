internal import COpus
internal import LullSystem

/// Opus in Ogg (RFC 7845), by libopus.
@safe final class OpusCodec: OggCodec {
  static let mark = "OpusHead"
  private static let rate = 48_000
  /// Frames of 120 ms, the longest packet.
  private static let longestPacket = 5760
  private let decoder: OpaquePointer
  private let order: [Int]
  private let gain: Float
  /// Frames at the start that are not to be heard.
  private var preSkip: Int
  /// The frame at which the last page ended, and the frames since.
  private var pageEnd: Int64?
  private var sincePage: Int64 = 0
  let format: SoundFormat

  /// Nil when the head is damaged, or its channel mapping is not supported.
  init?(_ packet: OggPackets.Packet) {
    let head = unsafe Array(packet.bytes)
    guard head.count >= 19, head[8] & 0xF0 == 0, head[9] > 0 else { return nil }
    let channels = Int(head[9])
    guard let (streams, coupled, mapping) = Self.mapping(head, channels) else { return nil }
    var error: Int32 = 0
    guard
      let decoder = unsafe opus_multistream_decoder_create(
        Int32(Self.rate), Int32(channels), streams, coupled, mapping, &error)
    else { return nil }
    unsafe self.decoder = decoder
    preSkip = Int(head[10]) | Int(head[11]) << 8
    // Q7.8 decibels, which every player applies (RFC 7845, 5.1).
    let decibels = Double(Int16(bitPattern: UInt16(head[16]) | UInt16(head[17]) << 8)) / 256
    gain = Float(Mathematics.power(decibels: decibels / 2))
    order = ChannelOrder.vorbis(channels)
    format = SoundFormat(rate: Self.rate, channels: channels)
  }

  static func comments(in packet: [UInt8]) -> ArraySlice<UInt8>? {
    packet.starts(with: "OpusTags".utf8) ? packet.dropFirst(8) : nil
  }

  deinit { unsafe opus_multistream_decoder_destroy(decoder) }

  /// The channel mapping table (RFC 7845, 5.1.1).
  private static func mapping(_ head: [UInt8], _ channels: Int) -> (Int32, Int32, [UInt8])? {
    guard head[18] != 0 else { return channels > 2 ? nil : (1, Int32(channels) - 1, [0, 1]) }
    guard head[18] == 1, channels <= 8, head.count >= 21 + channels else { return nil }
    return (Int32(head[19]), Int32(head[20]), Array(head[21..<(21 + channels)]))
  }

  /// The comments are the only other header.
  func takeHeader(_ packet: OggPackets.Packet) -> Bool? { false }

  func restart() { (preSkip, pageEnd, sincePage) = (0, nil, 0) }

  func decode(_ packet: OggPackets.Packet, onto samples: inout [Float]) {
    let start = samples.count
    let room = Self.longestPacket * format.channels
    samples += repeatElement(0, count: room)
    let count = unsafe samples.withUnsafeMutableBufferPointer { samples in
      guard let base = samples.baseAddress else { return 0 }
      return unsafe Int(
        opus_multistream_decode_float(
          decoder, packet.bytes.baseAddress, Int32(clamping: packet.bytes.count), base + start,
          Int32(Self.longestPacket), 0))
    }
    samples.removeSubrange((start + max(0, count) * format.channels)...)
    // A damaged packet is passed over.
    guard count > 0 else { return }
    scale(&samples, from: start)
    cut(&samples, start: start, packet: packet, count: count)
  }

  private func scale(_ samples: inout [Float], from start: Int) {
    let channels = format.channels
    guard channels > 2 || gain != 1 else { return }
    for frame in stride(from: start, to: samples.count, by: channels) {
      let own = Array(samples[frame..<(frame + channels)])
      for (channel, source) in order.enumerated() { samples[frame + channel] = own[source] * gain }
    }
  }

  /// Drops the frames before the start and behind the end.
  private func cut(_ samples: inout [Float], start: Int, packet: OggPackets.Packet, count: Int) {
    let channels = format.channels
    sincePage += Int64(count)
    if let granule = packet.granule {
      // The only page of a stream begins at 0.
      let start = pageEnd ?? 0
      if packet.isLast, granule >= start, sincePage > granule - start {
        let excess = min(Int64(count), sincePage - (granule - start))
        samples.removeLast(Int(excess) * channels)
      }
      (pageEnd, sincePage) = (granule, 0)
    }
    guard preSkip > 0 else { return }
    let dropped = min(preSkip, (samples.count - start) / channels)
    samples.removeSubrange(start..<(start + dropped * channels))
    preSkip -= dropped
  }
}
