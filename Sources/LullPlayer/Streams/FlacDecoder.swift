internal import CFlac

/// FLAC, by libFLAC. libFLAC asks for bytes and cannot wait for them: so a frame is decoded only when the
/// bytes of the largest possible frame are there.
@safe final class FlacDecoder: PushDecoder {
  private let decoder: UnsafeMutablePointer<FLAC__StreamDecoder>
  fileprivate var bytes = ByteQueue()
  fileprivate var decoded: [Float] = []
  private var stage = Stage.metadata
  private var isFinished = false
  private var largestFrame = 0
  private(set) var format: StreamFormat?
  private(set) var comments = Comments()
  private(set) var frames: Int64?
  /// The limit in bytes: pictures may be large, and a stream may be forged.
  private static let largestMetadata = 1 << 24

  private enum Stage {
    case metadata, frames
    case failed(String)
  }

  /// Nil when there is no memory.
  init?() {
    guard let decoder = unsafe FLAC__stream_decoder_new() else { return nil }
    unsafe self.decoder = decoder
    let own = unsafe Unmanaged.passUnretained(self).toOpaque()
    let status = unsafe FLAC__stream_decoder_init_stream(
      decoder, flacReads, nil, nil, nil, nil, flacWrites, nil, { _, _, _ in }, own)
    guard status == FLAC__STREAM_DECODER_INIT_STATUS_OK else { return nil }
  }

  deinit { unsafe FLAC__stream_decoder_delete(decoder) }

  func feed(_ more: ArraySlice<UInt8>) { bytes.append(more) }

  func finish() { isFinished = true }

  func decode(onto samples: inout [Float]) -> PushStep {
    switch stage {
    case .failed(let reason): return .failed(reason)
    case .metadata: return readMetadata()
    case .frames: break
    }
    guard isFinished || bytes.count >= largestFrame else { return .starving }
    let goesOn = unsafe FLAC__stream_decoder_process_single(decoder) != 0
    samples += decoded
    decoded.removeAll(keepingCapacity: true)
    let state = unsafe FLAC__stream_decoder_get_state(decoder)
    if state == FLAC__STREAM_DECODER_END_OF_STREAM { return .starving }
    return goesOn ? .decoded : fail("damaged FLAC")
  }

  private func fail(_ reason: String) -> PushStep {
    stage = .failed(reason)
    return .failed(reason)
  }

  /// Waits for all blocks before the first frame, and gives them to libFLAC.
  private func readMetadata() -> PushStep {
    guard bytes.count >= 42 else { return isFinished ? fail("damaged FLAC") : .starving }
    let head = bytes.prefix(42)
    guard head.starts(with: "fLaC".utf8) else { return fail("no FLAC") }
    var offset = 4
    while true {
      guard offset < Self.largestMetadata else { return fail("too much metadata") }
      guard bytes.count >= offset + 4 else { return isFinished ? fail("damaged FLAC") : .starving }
      let header = bytes.prefix(offset + 4).suffix(4)
      let length = header.dropFirst().reduce(0) { $0 << 8 | Int($1) }
      guard bytes.count >= offset + 4 + length else { return isFinished ? fail("damaged FLAC") : .starving }
      if header.first.map({ $0 & 0x7F }) == 4 {
        let block = bytes.prefix(offset + 4 + length).suffix(length)
        comments = Comments(vorbis: block) ?? comments
      }
      offset += 4 + length
      if let first = header.first, first & 0x80 != 0 { break }
    }
    describe(Array(head))
    guard unsafe FLAC__stream_decoder_process_until_end_of_metadata(decoder) != 0 else {
      return fail("damaged FLAC")
    }
    stage = .frames
    return .decoded
  }

  /// STREAMINFO (RFC 9639, 8.2): the rate, the channels and the largest frame.
  private func describe(_ head: [UInt8]) {
    func number(_ range: Range<Int>) -> Int { head[range].reduce(0) { $0 << 8 | Int($1) } }
    let packed = number(18..<26)
    let (rate, channels, bits) = (packed >> 44, packed >> 41 & 7, packed >> 36 & 31)
    format = StreamFormat(rate: rate, channels: channels + 1)
    let total = packed & 0xF_FFFF_FFFF
    frames = total == 0 ? nil : Int64(total)
    let announced = number(15..<18)
    let raw = number(10..<12) * (channels + 1) * ((bits + 1 + 8) / 8) + 256
    largestFrame = max(announced, raw)
  }
}

/// Gives libFLAC the bytes that are there; no bytes mean the end.
private func flacReads(
  _: UnsafePointer<FLAC__StreamDecoder>?, room: UnsafeMutablePointer<UInt8>?,
  count: UnsafeMutablePointer<Int>?, owner: UnsafeMutableRawPointer?
) -> FLAC__StreamDecoderReadStatus {
  guard let room = unsafe room, let count = unsafe count, let owner = unsafe owner else {
    return FLAC__STREAM_DECODER_READ_STATUS_ABORT
  }
  let decoder = unsafe Unmanaged<FlacDecoder>.fromOpaque(owner).takeUnretainedValue()
  let taken = decoder.bytes.take(unsafe count.pointee)
  for (index, byte) in taken.enumerated() { unsafe room[index] = byte }
  unsafe count.pointee = taken.count
  return taken.isEmpty
    ? FLAC__STREAM_DECODER_READ_STATUS_END_OF_STREAM : FLAC__STREAM_DECODER_READ_STATUS_CONTINUE
}

private func flacWrites(
  _: UnsafePointer<FLAC__StreamDecoder>?, frame: UnsafePointer<FLAC__Frame>?,
  planes: UnsafePointer<UnsafePointer<Int32>?>?, owner: UnsafeMutableRawPointer?
) -> FLAC__StreamDecoderWriteStatus {
  guard let header = unsafe frame?.pointee.header, let planes = unsafe planes, let owner = unsafe owner else {
    return FLAC__STREAM_DECODER_WRITE_STATUS_ABORT
  }
  let decoder = unsafe Unmanaged<FlacDecoder>.fromOpaque(owner).takeUnretainedValue()
  let own = StreamFormat(rate: Int(header.sample_rate), channels: Int(header.channels))
  guard own == decoder.format, (4...32).contains(header.bits_per_sample) else {
    return FLAC__STREAM_DECODER_WRITE_STATUS_ABORT
  }
  let scale = 1 / Float(UInt64(1) << UInt64(header.bits_per_sample - 1))
  for index in 0..<Int(header.blocksize) {
    for channel in 0..<own.channels {
      decoder.decoded.append(Float(unsafe planes[channel]?[index] ?? 0) * scale)
    }
  }
  return FLAC__STREAM_DECODER_WRITE_STATUS_CONTINUE
}
