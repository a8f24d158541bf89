internal import CFlac
internal import LullModel
internal import LullSystem

/// FLAC, by libFLAC, which asks for bytes and cannot wait for them. So a frame of a stream is decoded only
/// when the bytes of the largest possible frame are there, or when every piece of bytes is a whole frame. A
/// file is read by libFLAC itself.
@safe final class FlacDecoder: PushDecoder, FileSource {
  private enum State {
    case head, blocks, frames, end
    case failed(String)
  }

  /// The mark and STREAMINFO.
  private static let headBytes = 42

  private let decoder: UnsafeMutablePointer<FLAC__StreamDecoder>
  private let isFramed: Bool
  private let keepsPictures: Bool
  private var isFile = false
  private var bytes = WaitingQueue<UInt8>()
  private var decoded: [Float] = []
  private var state = State.head
  private var isFinished = false
  private var largestFrame = 0
  private(set) var format: SoundFormat?
  private(set) var comments = Comments()
  private(set) var frames: Int64?

  /// `isFramed`: the bytes that are fed at a time are whole frames.
  init(isFramed: Bool = false, keepsPictures: Bool = false) throws(DecodeError) {
    guard let decoder = unsafe FLAC__stream_decoder_new() else { throw .withoutMemory }
    unsafe self.decoder = decoder
    (self.isFramed, self.keepsPictures) = (isFramed, keepsPictures)
    let own = unsafe Unmanaged.passUnretained(self).toOpaque()
    let status = unsafe FLAC__stream_decoder_init_stream(
      decoder, { unsafe flac($3).read(into: $1, $2) }, nil, nil, nil, nil,
      { unsafe flac($3).write($1, $2) }, nil, { _, _, _ in }, own)
    guard status == FLAC__STREAM_DECODER_INIT_STATUS_OK else { throw .withoutMemory }
  }

  /// Opens a file: the blocks before its sound are read here, the sound is by libFLAC.
  convenience init(_ bytes: FileBytes, of file: DescriptorBox, keepsPictures: Bool) throws(DecodeError) {
    try self.init(keepsPictures: keepsPictures)
    var (bytes, none): (FileBytes, [Float]) = (bytes, [])
    while true {
      if case .frames = state { break }
      switch decode(onto: &none) {
      case .decoded: continue
      case .failed(let reason): throw .unreadable(reason)
      case .starving:
        let more = bytes.next()
        if more.isEmpty { finish() } else { feed(more[...]) }
      }
    }
    isFile = true
    let own = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe FLAC__stream_decoder_finish(decoder)
    let status = unsafe cflac_init_descriptor(
      decoder, try file.duplicated(), { unsafe flac($3).write($1, $2) }, { _, _, _ in }, own)
    guard status == FLAC__STREAM_DECODER_INIT_STATUS_OK,
      unsafe FLAC__stream_decoder_process_until_end_of_metadata(decoder) != 0
    else { throw .unreadable("damaged FLAC") }
  }

  deinit { unsafe FLAC__stream_decoder_delete(decoder) }

  func feed(_ more: ArraySlice<UInt8>) { bytes.append(more) }

  func finish() { isFinished = true }

  /// Forgets the bytes that wait; the next ones begin with a frame.
  func restart() {
    (bytes, decoded, isFinished, state) = (WaitingQueue(), [], false, .frames)
    unsafe FLAC__stream_decoder_flush(decoder)
  }

  func seek(to frame: Int64) -> Int64? {
    restart()
    if frame >= frames ?? .max {
      state = .end
      return frames
    }
    if unsafe FLAC__stream_decoder_seek_absolute(decoder, UInt64(frame)) != 0 { return frame }
    restart()
    return nil
  }

  func decode(onto samples: inout [Float]) -> DecodeStep {
    switch state {
    case .end: .starving
    case .failed(let reason): .failed(reason)
    case .head: readHead()
    case .blocks: readBlock()
    case .frames: decodeFrame(onto: &samples)
    }
  }

  private func decodeFrame(onto samples: inout [Float]) -> DecodeStep {
    let isWhole = isFramed ? !bytes.isEmpty : bytes.count >= largestFrame
    guard isFile || isFinished || isWhole else { return .starving }
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

  private func fail(_ reason: String) -> DecodeStep {
    state = .failed(reason)
    return .failed(reason)
  }

  private func starve() -> DecodeStep { isFinished ? fail("damaged FLAC") : .starving }

  /// Gives libFLAC the mark and STREAMINFO as the only block: of any other it would want all bytes at once.
  private func readHead() -> DecodeStep {
    guard bytes.count >= Self.headBytes else { return starve() }
    var head = Array(bytes.take(Self.headBytes))
    guard head.starts(with: "fLaC".utf8) else { return fail("no FLAC") }
    let isLast = head[4] & 0x80 != 0
    head[4] |= 0x80
    guard head[4..<8].elementsEqual([0x80, 0, 0, 34]) else { return fail("damaged FLAC") }
    describe(head)
    let rest = bytes
    bytes = WaitingQueue()
    bytes.append(head)
    guard unsafe FLAC__stream_decoder_process_until_end_of_metadata(decoder) != 0 else {
      return fail("damaged FLAC")
    }
    bytes = rest
    state = isLast ? .frames : .blocks
    return .decoded
  }

  /// Of all blocks only the comments are kept, and the pictures where they are wanted.
  private func readBlock() -> DecodeStep {
    let header = Array(bytes.prefix(4))
    guard header.count == 4 else { return starve() }
    let length = header[1...].reduce(0) { $0 << 8 | Int($1) }
    guard bytes.count >= 4 + length else { return starve() }
    let block = bytes.take(4 + length).dropFirst(4)
    switch header[0] & 0x7F {
    case 4:
      guard var found = Comments(vorbis: block, keepsPictures: keepsPictures) else { break }
      found.add(comments.picture)
      comments = found
    case 6 where keepsPictures: comments.add(Picture(block: block))
    default: break
    }
    if header[0] & 0x80 != 0 { state = .frames }
    return .decoded
  }

  /// STREAMINFO (RFC 9639, 8.2): the format, the frames and the largest frame.
  private func describe(_ head: [UInt8]) {
    func number(_ range: Range<Int>) -> Int { head[range].reduce(0) { $0 << 8 | Int($1) } }
    let packed = number(18..<26)
    let (rate, channels, bits) = (packed >> 44, (packed >> 41 & 7) + 1, (packed >> 36 & 31) + 1)
    format = SoundFormat(rate: rate, channels: channels, sample: bits > 16 ? .f32 : .s16)
    let total = packed & 0xF_FFFF_FFFF
    frames = total == 0 ? nil : Int64(total)
    let raw = number(10..<12) * channels * ((bits + 8) / 8) + 256
    largestFrame = max(number(15..<18), raw)
  }

  /// Gives libFLAC the bytes that are there; no bytes mean the end.
  fileprivate func read(
    into room: UnsafeMutablePointer<UInt8>?, _ count: UnsafeMutablePointer<Int>?
  ) -> FLAC__StreamDecoderReadStatus {
    guard let count = unsafe count else { return FLAC__STREAM_DECODER_READ_STATUS_ABORT }
    let taken = bytes.take(unsafe count.pointee)
    unsafe count.pointee = UnsafeMutableBufferPointer(start: room, count: count.pointee)
      .update(fromContentsOf: taken)
    return taken.isEmpty
      ? FLAC__STREAM_DECODER_READ_STATUS_END_OF_STREAM : FLAC__STREAM_DECODER_READ_STATUS_CONTINUE
  }

  fileprivate func write(
    _ frame: UnsafePointer<FLAC__Frame>?, _ planes: UnsafePointer<UnsafePointer<Int32>?>?
  ) -> FLAC__StreamDecoderWriteStatus {
    guard let header = unsafe frame?.pointee.header, let planes = unsafe planes, let format,
      format.rate == Int(header.sample_rate), format.channels == Int(header.channels),
      (4...32).contains(header.bits_per_sample)
    else { return FLAC__STREAM_DECODER_WRITE_STATUS_ABORT }
    let scale = 1 / Float(UInt64(1) << UInt64(header.bits_per_sample - 1))
    for index in 0..<Int(header.blocksize) {
      for channel in 0..<format.channels {
        decoded.append(unsafe Float(planes[channel]?[index] ?? 0) * scale)
      }
    }
    return FLAC__STREAM_DECODER_WRITE_STATUS_CONTINUE
  }
}

private func flac(_ owner: UnsafeMutableRawPointer?) -> FlacDecoder {
  guard let owner = unsafe owner else { preconditionFailure("libFLAC gives back what it was given") }
  return unsafe Unmanaged<FlacDecoder>.fromOpaque(owner).takeUnretainedValue()
}
