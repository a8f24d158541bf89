internal import CFlac

/// FLAC, by libFLAC. libFLAC asks for bytes and cannot wait for them: so a frame is decoded only when the
/// bytes of the largest possible frame are there, or when every piece of bytes is a whole frame.
@safe final class FlacDecoder: PushDecoder {
  private let decoder: UnsafeMutablePointer<FLAC__StreamDecoder>
  private let isFramed: Bool
  fileprivate var bytes = ByteQueue()
  fileprivate var decoded: [Float] = []
  private var stage = Stage.head
  private var isFinished = false
  private var largestFrame = 0
  private(set) var format: StreamFormat?
  private(set) var comments = Comments()
  private(set) var frames: Int64?
  /// The mark and STREAMINFO.
  private static let headBytes = 42
  /// The limit in bytes, for a stream may be forged.
  private static let largestComments = 1 << 22

  private enum Stage {
    case head
    /// Before the first frame: so many bytes of a block are to be passed over.
    case blocks(skipping: Int, isLast: Bool)
    case frames
    case failed(String)
  }

  /// Nil when there is no memory. `isFramed`: the bytes that are fed at a time are whole frames.
  init?(isFramed: Bool = false) {
    guard let decoder = unsafe FLAC__stream_decoder_new() else { return nil }
    unsafe self.decoder = decoder
    self.isFramed = isFramed
    let own = unsafe Unmanaged.passUnretained(self).toOpaque()
    let status = unsafe FLAC__stream_decoder_init_stream(
      decoder, flacReads, nil, nil, nil, nil, flacWrites, nil, { _, _, _ in }, own)
    guard status == FLAC__STREAM_DECODER_INIT_STATUS_OK else { return nil }
  }

  deinit { unsafe FLAC__stream_decoder_delete(decoder) }

  func feed(_ more: ArraySlice<UInt8>) { bytes.append(more) }

  func finish() { isFinished = true }

  /// Forgets the bytes that wait; the next ones begin with a frame.
  func restart() {
    (bytes, isFinished) = (ByteQueue(), false)
    unsafe FLAC__stream_decoder_flush(decoder)
  }

  func decode(onto samples: inout [Float]) -> PushStep {
    switch stage {
    case .failed(let reason): .failed(reason)
    case .head: readHead()
    case .blocks(let skipping, let isLast): passBlock(skipping, isLast: isLast)
    case .frames: decodeFrame(onto: &samples)
    }
  }

  private func decodeFrame(onto samples: inout [Float]) -> PushStep {
    let isWhole = isFramed ? !bytes.isEmpty : bytes.count >= largestFrame
    guard isFinished || isWhole else { return .starving }
    let goesOn = unsafe FLAC__stream_decoder_process_single(decoder) != 0
    samples += decoded
    decoded.removeAll(keepingCapacity: true)
    guard unsafe FLAC__stream_decoder_get_state(decoder) == FLAC__STREAM_DECODER_END_OF_STREAM else {
      return goesOn ? .decoded : fail("damaged FLAC")
    }
    guard isFramed, !isFinished else { return .starving }
    // A frame that was cut short: for libFLAC this was the end, and the next frame is whole.
    unsafe FLAC__stream_decoder_flush(decoder)
    return .decoded
  }

  private func fail(_ reason: String) -> PushStep {
    stage = .failed(reason)
    return .failed(reason)
  }

  private func starve() -> PushStep { isFinished ? fail("damaged FLAC") : .starving }
}

// Before the first frame.
extension FlacDecoder {
  /// Gives libFLAC the mark and STREAMINFO as the only block: of any other it would want all bytes at once.
  private func readHead() -> PushStep {
    guard bytes.count >= Self.headBytes else { return starve() }
    var head = Array(bytes.take(Self.headBytes))
    guard head.starts(with: "fLaC".utf8) else { return fail("no FLAC") }
    let isLast = head[4] & 0x80 != 0
    head[4] |= 0x80
    guard head[4..<8].elementsEqual([0x80, 0, 0, 34]) else { return fail("damaged FLAC") }
    describe(head)
    let rest = bytes
    bytes = ByteQueue()
    bytes.append(head)
    guard unsafe FLAC__stream_decoder_process_until_end_of_metadata(decoder) != 0 else {
      return fail("damaged FLAC")
    }
    bytes = rest
    stage = isLast ? .frames : .blocks(skipping: 0, isLast: false)
    return .decoded
  }

  /// Passes over a block; of all blocks only the comments are kept.
  private func passBlock(_ skipping: Int, isLast: Bool) -> PushStep {
    guard skipping == 0 else {
      let left = skipping - bytes.take(skipping).count
      stage = left == 0 && isLast ? .frames : .blocks(skipping: left, isLast: isLast)
      return left == 0 ? .decoded : starve()
    }
    let header = Array(bytes.prefix(4))
    guard header.count == 4 else { return starve() }
    let (isEnd, length) = (header[0] & 0x80 != 0, header[1...].reduce(0) { $0 << 8 | Int($1) })
    if header[0] & 0x7F == 4, length <= Self.largestComments {
      guard bytes.count >= 4 + length else { return starve() }
      comments = Comments(vorbis: bytes.prefix(4 + length).dropFirst(4)) ?? comments
    }
    _ = bytes.take(4)
    stage = length == 0 && isEnd ? .frames : .blocks(skipping: length, isLast: isEnd)
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
