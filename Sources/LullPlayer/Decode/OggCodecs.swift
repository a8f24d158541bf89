internal import COpus
internal import CVorbis
internal import LullSystem

/// Channels in the order of WAV files, in which sessions take them.
enum ChannelOrder {
  /// For each channel of WAV the channel of Vorbis (Vorbis I specification, 4.3.9), whose order Opus shares.
  static func vorbis(_ channels: Int) -> [Int] {
    switch channels {
    case 3: [0, 2, 1]
    case 5: [0, 2, 1, 3, 4]
    case 6: [0, 2, 1, 5, 3, 4]
    case 7: [0, 2, 1, 6, 5, 3, 4]
    case 8: [0, 2, 1, 7, 5, 6, 3, 4]
    default: Array(0..<channels)
    }
  }
}

/// FLAC in Ogg (RFC 9639, 10.1): the packets in sequence are a FLAC stream.
final class OggFlacCodec: OggCodec {
  static let mark = "\u{7F}FLAC"
  private let flac: FlacDecoder
  let format: SoundFormat

  /// FLAC's block has a type, which may have the mark of the last block, and three bytes of length.
  static func comments(in packet: [UInt8]) -> ArraySlice<UInt8>? {
    packet.first.map { $0 & 0x7F } == 4 ? packet.dropFirst(4) : nil
  }

  init?(_ packet: OggPackets.Packet) {
    let head = unsafe Array(packet.bytes)
    // 0x7F FLAC, two bytes of version, the number of headers, then a FLAC stream's first 42 bytes.
    guard head.count >= 51, let flac = try? FlacDecoder(isFramed: true) else { return nil }
    flac.feed(head[9...])
    var none: [Float] = []
    guard flac.decode(onto: &none) == .decoded, let format = flac.format else { return nil }
    (self.flac, self.format) = (flac, format)
  }

  func takeHeader(_ packet: OggPackets.Packet) -> Bool? {
    flac.feed(unsafe Array(packet.bytes)[...])
    var (step, none): (DecodeStep, [Float]) = (.decoded, [])
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

@safe final class VorbisCodec: OggCodec {
  static let mark = "\u{1}vorbis"
  private let info = UnsafeMutablePointer<vorbis_info>.allocate(capacity: 1)
  private let comment = UnsafeMutablePointer<vorbis_comment>.allocate(capacity: 1)
  private let state = UnsafeMutablePointer<vorbis_dsp_state>.allocate(capacity: 1)
  private let block = UnsafeMutablePointer<vorbis_block>.allocate(capacity: 1)
  private var headers = 0
  private var isReady = false
  private let order: [Int]
  let format: SoundFormat

  init?(_ packet: OggPackets.Packet) {
    unsafe info.initialize(to: vorbis_info())
    unsafe comment.initialize(to: vorbis_comment())
    unsafe state.initialize(to: vorbis_dsp_state())
    unsafe block.initialize(to: vorbis_block())
    unsafe vorbis_info_init(info)
    unsafe vorbis_comment_init(comment)
    let isHead = unsafe vorbis_synthesis_headerin(info, comment, packet.raw) == 0
    let channels = unsafe Int(info.pointee.channels)
    format = unsafe SoundFormat(rate: info.pointee.rate, channels: channels)
    order = ChannelOrder.vorbis(channels)
    headers = 1
    guard isHead else { return nil }
  }

  static func comments(in packet: [UInt8]) -> ArraySlice<UInt8>? {
    packet.starts(with: "\u{3}vorbis".utf8) ? packet.dropFirst(7) : nil
  }

  deinit {
    if isReady {
      unsafe vorbis_block_clear(block)
      unsafe vorbis_dsp_clear(state)
    }
    unsafe vorbis_comment_clear(comment)
    unsafe vorbis_info_clear(info)
    unsafe info.deallocate()
    unsafe comment.deallocate()
    unsafe state.deallocate()
    unsafe block.deallocate()
  }

  func takeHeader(_ packet: OggPackets.Packet) -> Bool? {
    guard unsafe vorbis_synthesis_headerin(info, comment, packet.raw) == 0 else { return nil }
    headers += 1
    guard headers == 3 else { return true }
    guard unsafe vorbis_synthesis_init(state, info) == 0 else { return nil }
    unsafe vorbis_block_init(state, block)
    isReady = true
    return false
  }

  func restart() { if isReady { unsafe vorbis_synthesis_restart(state) } }

  /// A damaged packet is passed over; libvorbis cuts the last one where the stream ends.
  func decode(_ packet: OggPackets.Packet, onto samples: inout [Float]) {
    guard unsafe vorbis_synthesis(block, packet.raw) == 0 else { return }
    unsafe vorbis_synthesis_blockin(state, block)
    var planes: UnsafeMutablePointer<UnsafeMutablePointer<Float>?>?
    while true {
      let count = unsafe Int(vorbis_synthesis_pcmout(state, &planes))
      guard count > 0, let planes = unsafe planes else { return }
      for frame in 0..<count {
        for channel in order { samples.append(unsafe planes[channel]?[frame] ?? 0) }
      }
      unsafe vorbis_synthesis_read(state, Int32(count))
    }
  }
}

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
    let (start, channels) = (samples.count, format.channels)
    let count = unsafe samples.append(atMost: Self.longestPacket * channels) { room in
      let length = unsafe Int32(clamping: packet.bytes.count)
      let frames = unsafe opus_multistream_decode_float(
        decoder, packet.bytes.baseAddress, length, room, Int32(Self.longestPacket), 0)
      return max(0, Int(frames)) * channels
    }
    // A damaged packet is passed over.
    guard count > 0 else { return }
    if channels > 2 || gain != 1 {
      for frame in stride(from: start, to: samples.count, by: channels) {
        let own = Array(samples[frame..<(frame + channels)])
        for (channel, source) in order.enumerated() { samples[frame + channel] = own[source] * gain }
      }
    }
    cut(&samples, start: start, packet: packet, count: count / channels)
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
