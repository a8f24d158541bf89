/// Decodes the packets of one logical stream.
protocol OggCodec: AnyObject {
  var format: StreamFormat { get }
  /// Takes a header packet; true while another header is to come; nil when the packet is damaged.
  func takeHeader(_ packet: OggPackets.Packet) -> Bool?
  /// Forgets the packets before: the next ones are from another place.
  func restart()
  /// Appends the samples of a packet.
  func decode(_ packet: OggPackets.Packet, onto samples: inout [Float])
}

/// Ogg with Vorbis, Opus or FLAC. A radio begins a new logical stream for each piece, with its own title.
final class OggDecoder: PushDecoder {
  private enum Stage {
    case between
    case headers(any OggCodec, OggCodecKind)
    case sound(any OggCodec)
  }

  private let packets = unsafe OggPackets { unsafe OggCodecKind($0) != nil }
  private var stage = Stage.between
  private(set) var format: StreamFormat?
  private(set) var comments = Comments()
  /// The granule position that the packet of the last step told: the stream's frames up to its end.
  private(set) var granule: Int64?

  /// The logical stream that is read.
  var serial: Int32? { packets.serial }
  /// True behind the heads.
  var isInSound: Bool { if case .sound = stage { true } else { false } }

  /// Goes on with the bytes of another place in the sound of the same logical stream.
  func jump() {
    packets.jump()
    if case .sound(let codec) = stage { codec.restart() }
  }

  func feed(_ bytes: ArraySlice<UInt8>) { packets.feed(bytes) }

  func finish() {}

  func decode(onto samples: inout [Float]) -> PushStep {
    granule = nil
    guard let packet = packets.next() else { return .starving }
    if packet.isFirst { return begin(packet) }
    switch stage {
    case .between: return .decoded
    case .headers(let codec, let kind): return header(packet, codec: codec, kind: kind)
    case .sound(let codec):
      codec.decode(packet, onto: &samples)
      granule = packet.granule
      return .decoded
    }
  }

  private func begin(_ packet: OggPackets.Packet) -> PushStep {
    guard let kind = unsafe OggCodecKind(packet.bytes) else { return .decoded }
    let codec: (any OggCodec)? =
      switch kind {
      case .vorbis: VorbisCodec(packet)
      case .opus: OpusCodec(packet)
      case .flac: OggFlacCodec(packet)
      }
    guard let codec else { return .failed("a damaged head of \(kind)") }
    comments = Comments()
    stage = .headers(codec, kind)
    return .decoded
  }

  private func header(
    _ packet: OggPackets.Packet, codec: any OggCodec, kind: OggCodecKind
  ) -> PushStep {
    if let found = unsafe kind.comments(packet.bytes) { comments = found }
    guard let goesOn = codec.takeHeader(packet) else { return .failed("a damaged head of \(kind)") }
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
