internal import CVorbis

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
  private let packets = OggPackets()
  private let keepsPictures: Bool
  private var codec: (any OggCodec)?
  /// True behind the headers of the logical stream.
  private(set) var isInSound = false
  private(set) var format: SoundFormat?
  private(set) var comments = Comments()
  /// The granule position that the packet of the last step told: the stream's frames up to its end.
  private(set) var granule: Int64?

  init(keepsPictures: Bool = false) { self.keepsPictures = keepsPictures }

  var serial: Int32? { packets.serial }

  /// Goes on with the bytes of another place in the sound of the same logical stream.
  func jump() {
    packets.jump()
    codec?.restart()
  }

  func feed(_ bytes: ArraySlice<UInt8>) { packets.feed(bytes) }

  func finish() {}

  func decode(onto samples: inout [Float]) -> DecodeStep {
    granule = nil
    guard let packet = packets.next() else { return .starving }
    if packet.isFirst {
      guard let kind = unsafe Self.codec(of: packet.bytes) else { return .decoded }
      (codec, isInSound, comments) = (kind.init(packet), false, Comments())
      return codec == nil ? .failed("a damaged head") : .decoded
    }
    guard let codec else { return .decoded }
    guard isInSound else { return header(packet, codec) }
    codec.decode(packet, onto: &samples)
    granule = packet.granule
    return .decoded
  }

  /// The codec of a first packet; nil for anything else, such as video, pictures or text.
  static func codec(of packet: UnsafeBufferPointer<UInt8>) -> (any OggCodec.Type)? {
    let codecs: [any OggCodec.Type] = [VorbisCodec.self, OpusCodec.self, OggFlacCodec.self]
    return codecs.first { unsafe packet.starts(with: $0.mark.utf8) }
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
    (format, isInSound) = (codec.format, true)
    return .decoded
  }
}

/// The pages of an Ogg stream (RFC 3533, 6), by libogg.
@safe final class OggPages {
  private var sync = unsafe ogg_sync_state()
  /// The place behind the page that was taken last.
  private(set) var place: Int64 = 0

  init() { unsafe ogg_sync_init(&sync) }

  deinit { unsafe ogg_sync_clear(&sync) }

  func feed(_ bytes: ArraySlice<UInt8>) {
    guard !bytes.isEmpty, let room = unsafe ogg_sync_buffer(&sync, bytes.count) else { return }
    unsafe bytes.withUnsafeBytes { bytes in
      unsafe UnsafeMutableRawBufferPointer(start: room, count: bytes.count).copyMemory(from: bytes)
    }
    unsafe ogg_sync_wrote(&sync, bytes.count)
  }

  /// Forgets what was fed; the next bytes are from a place that may be in the middle of a page.
  func reset(to place: Int64 = 0) {
    self.place = place
    unsafe ogg_sync_reset(&sync)
  }

  /// Takes the next page; false when more bytes are needed. Bytes that belong to no page are passed over.
  func take(_ page: UnsafeMutablePointer<ogg_page>) -> Bool {
    while true {
      let count = unsafe ogg_sync_pageseek(&sync, page)
      place += Int64(count.magnitude)
      if count >= 0 { return count > 0 }
    }
  }
}

/// The packets of an Ogg stream, by libogg: of the first logical stream of a known kind, and when that has
/// ended, of the next.
@safe final class OggPackets {
  /// One packet, valid until the next is asked for.
  @safe struct Packet {
    let raw: UnsafeMutablePointer<ogg_packet>
    var isFirst: Bool { unsafe raw.pointee.b_o_s != 0 }
    var isLast: Bool { unsafe raw.pointee.e_o_s != 0 }
    /// The number of the stream's frames up to the packet's end; nil when it is not told.
    var granule: Int64? { unsafe raw.pointee.granulepos >= 0 ? raw.pointee.granulepos : nil }

    var bytes: UnsafeBufferPointer<UInt8> {
      unsafe UnsafeBufferPointer(start: raw.pointee.packet, count: max(0, raw.pointee.bytes))
    }
  }

  private let pages = OggPages()
  private var stream = unsafe ogg_stream_state()
  private let packet = UnsafeMutablePointer<ogg_packet>.allocate(capacity: 1)
  private(set) var serial: Int32?

  init() {
    unsafe packet.initialize(to: ogg_packet())
    unsafe ogg_stream_init(&stream, 0)
  }

  deinit {
    unsafe ogg_stream_clear(&stream)
    unsafe packet.deallocate()
  }

  func feed(_ bytes: ArraySlice<UInt8>) { pages.feed(bytes) }

  /// Forgets what was fed; the next bytes are from another place of the same logical stream.
  func jump() {
    pages.reset()
    if let serial { unsafe ogg_stream_reset_serialno(&stream, serial) }
  }

  func next() -> Packet? {
    while true {
      if serial != nil {
        let result = unsafe ogg_stream_packetout(&stream, packet)
        if result == 1 { return unsafe Packet(raw: packet) }
        // A hole is passed over: the packets behind it are whole.
        if result < 0 { continue }
      }
      guard takePage() else { return nil }
    }
  }

  /// Takes the next page of the stream; false when more bytes are needed.
  private func takePage() -> Bool {
    var page = unsafe ogg_page()
    while unsafe pages.take(&page) {
      let own = unsafe ogg_page_serialno(&page)
      if unsafe ogg_page_bos(&page) != 0 {
        guard unsafe startsKnown(page) else { continue }
        serial = own
        unsafe ogg_stream_reset_serialno(&stream, own)
      }
      guard own == serial else { continue }
      unsafe ogg_stream_pagein(&stream, &page)
      return true
    }
    return false
  }

  /// True when the page begins a stream of a known kind, and no other stream is being read: that one has
  /// ended, or without an end mark. Streams that are multiplexed all begin before any data, so a beginning
  /// after data is a new stream.
  private func startsKnown(_ page: ogg_page) -> Bool {
    let body = unsafe UnsafeBufferPointer(start: page.body, count: max(0, page.body_len))
    return unsafe OggDecoder.codec(of: body) != nil
      && (serial == nil || stream.e_o_s != 0 || stream.pageno > 1)
  }
}
