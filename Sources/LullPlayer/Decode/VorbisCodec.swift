internal import CVorbis

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
