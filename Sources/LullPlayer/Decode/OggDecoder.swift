/// Decodes the packets of one logical stream.
protocol OggCodec: AnyObject {
  /// The beginning of the first packet.
  static var mark: String { get }
  /// The comments of a header packet; nil when it is another.
  static func comments(in packet: [UInt8]) -> ArraySlice<UInt8>?
  /// Nil when the first packet is damaged.
  init?(_ packet: OggPackets.Packet)
  var format: SoundFormat { get }
  /// Takes a header packet; true while another header is to come; nil when the packet is damaged.
  func takeHeader(_ packet: OggPackets.Packet) -> Bool?
  /// Forgets the packets before: the next ones are from another place.
  func restart()
  func decode(_ packet: OggPackets.Packet, onto samples: inout [Float])
}

/// Ogg with Vorbis, Opus or FLAC. A radio begins a new logical stream for each piece, with its own title.
final class OggDecoder: PushDecoder {
  private enum Stage {
    case between
    case headers(any OggCodec)
    case sound(any OggCodec)
  }

  private let packets = OggPackets()
  private let keepsPictures: Bool
  private var stage = Stage.between
  private(set) var format: SoundFormat?
  private(set) var comments = Comments()
  /// The granule position that the packet of the last step told: the stream's frames up to its end.
  private(set) var granule: Int64?

  init(keepsPictures: Bool = false) { self.keepsPictures = keepsPictures }

  var serial: Int32? { packets.serial }
  var isInSound: Bool { if case .sound = stage { true } else { false } }

  /// Goes on with the bytes of another place in the sound of the same logical stream.
  func jump() {
    packets.jump()
    if case .sound(let codec) = stage { codec.restart() }
  }

  func feed(_ bytes: ArraySlice<UInt8>) { packets.feed(bytes) }

  func finish() {}

  func decode(onto samples: inout [Float]) -> DecodeStep {
    granule = nil
    guard let packet = packets.next() else { return .starving }
    if packet.isFirst { return begin(packet) }
    switch stage {
    case .between: return .decoded
    case .headers(let codec): return header(packet, codec)
    case .sound(let codec):
      codec.decode(packet, onto: &samples)
      granule = packet.granule
      return .decoded
    }
  }

  /// The codec of a first packet; nil for anything else, such as video, pictures or text.
  static func codec(of packet: UnsafeBufferPointer<UInt8>) -> (any OggCodec.Type)? {
    let codecs: [any OggCodec.Type] = [VorbisCodec.self, OpusCodec.self, OggFlacCodec.self]
    return codecs.first { unsafe packet.starts(with: $0.mark.utf8) }
  }

  private func begin(_ packet: OggPackets.Packet) -> DecodeStep {
    guard let kind = unsafe Self.codec(of: packet.bytes) else { return .decoded }
    guard let codec = kind.init(packet) else { return .failed("a damaged head") }
    comments = Comments()
    stage = .headers(codec)
    return .decoded
  }

  private func header(_ packet: OggPackets.Packet, _ codec: any OggCodec) -> DecodeStep {
    if let block = unsafe type(of: codec).comments(in: Array(packet.bytes)),
      let found = Comments(vorbis: block, keepsPictures: keepsPictures)
    {
      comments = found
    }
    guard let goesOn = codec.takeHeader(packet) else { return .failed("a damaged head") }
    guard !goesOn else { return .decoded }
    guard format == nil || format == codec.format else { return .failed("its format has changed") }
    format = codec.format
    stage = .sound(codec)
    return .decoded
  }
}

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
    var none: [Float] = []
    var step = DecodeStep.decoded
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
