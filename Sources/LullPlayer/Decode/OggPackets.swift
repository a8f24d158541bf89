internal import CVorbis

/// The pages of an Ogg stream (RFC 3533, 6), by libogg.
@safe final class OggPages {
  private let sync = UnsafeMutablePointer<ogg_sync_state>.allocate(capacity: 1)
  /// The place behind the page that was taken last.
  private(set) var place: Int64 = 0

  init() {
    unsafe sync.initialize(to: ogg_sync_state())
    unsafe ogg_sync_init(sync)
  }

  deinit {
    unsafe ogg_sync_clear(sync)
    unsafe sync.deallocate()
  }

  func feed(_ bytes: ArraySlice<UInt8>) {
    guard !bytes.isEmpty, let room = unsafe ogg_sync_buffer(sync, bytes.count) else { return }
    unsafe bytes.withUnsafeBytes { bytes in
      unsafe UnsafeMutableRawBufferPointer(start: room, count: bytes.count).copyMemory(from: bytes)
    }
    unsafe ogg_sync_wrote(sync, bytes.count)
  }

  /// Forgets what was fed; the next bytes are from a place that may be in the middle of a page.
  func reset(to place: Int64 = 0) {
    self.place = place
    unsafe ogg_sync_reset(sync)
  }

  /// Takes the next page; false when more bytes are needed. Bytes that belong to no page are passed over.
  func take(_ page: UnsafeMutablePointer<ogg_page>) -> Bool {
    while true {
      let count = unsafe ogg_sync_pageseek(sync, page)
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
  private let stream = UnsafeMutablePointer<ogg_stream_state>.allocate(capacity: 1)
  private let packet = UnsafeMutablePointer<ogg_packet>.allocate(capacity: 1)
  private(set) var serial: Int32?

  init() {
    unsafe packet.initialize(to: ogg_packet())
    unsafe stream.initialize(to: ogg_stream_state())
    unsafe ogg_stream_init(stream, 0)
  }

  deinit {
    unsafe ogg_stream_clear(stream)
    unsafe stream.deallocate()
    unsafe packet.deallocate()
  }

  func feed(_ bytes: ArraySlice<UInt8>) { pages.feed(bytes) }

  /// Forgets what was fed; the next bytes are from another place of the same logical stream.
  func jump() {
    pages.reset()
    if let serial { unsafe ogg_stream_reset_serialno(stream, serial) }
  }

  func next() -> Packet? {
    while true {
      if serial != nil {
        let result = unsafe ogg_stream_packetout(stream, packet)
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
        guard unsafe startsKnown(&page) else { continue }
        serial = own
      }
      guard own == serial else { continue }
      unsafe ogg_stream_pagein(stream, &page)
      return true
    }
    return false
  }

  /// True when the page begins a stream of a known kind, and no other stream is being read: that one has
  /// ended, or without an end mark. Streams that are multiplexed all begin before any data, so a beginning
  /// after data is a new stream.
  private func startsKnown(_ page: UnsafeMutablePointer<ogg_page>) -> Bool {
    let body = unsafe UnsafeBufferPointer(start: page.pointee.body, count: max(0, page.pointee.body_len))
    guard unsafe OggDecoder.codec(of: body) != nil,
      unsafe serial == nil || stream.pointee.e_o_s != 0 || stream.pointee.pageno > 1
    else { return false }
    unsafe ogg_stream_reset_serialno(stream, ogg_page_serialno(page))
    return true
  }
}
