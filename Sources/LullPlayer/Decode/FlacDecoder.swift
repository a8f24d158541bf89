internal import CFlac
internal import LullModel

/// FLAC, by libFLAC, which asks for bytes and cannot wait for them. So a frame of a stream is decoded only
/// when the bytes of the largest possible frame are there, or when every piece of bytes is a whole frame;
/// those of a file always are.
@safe final class FlacDecoder: PushDecoder, FileSource {
  private let decoder: UnsafeMutablePointer<FLAC__StreamDecoder>
  private let isFramed: Bool
  private let keepsPictures: Bool
  private var bytes = WaitingQueue<UInt8>()
  /// The file that the bytes come from; nil when the bytes are fed.
  private var file: FileBytes?
  /// The place in the file behind the blocks.
  private var soundStart: Int64 = 0
  private var decoded: [Float] = []
  private var stage = Stage.head
  private var isFinished = false
  private var largestFrame = 0
  private(set) var format: SoundFormat?
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

  /// `isFramed`: the bytes that are fed at a time are whole frames.
  init(isFramed: Bool = false, keepsPictures: Bool = false) throws(DecodeError) {
    guard let decoder = unsafe FLAC__stream_decoder_new() else { throw .withoutMemory }
    unsafe self.decoder = decoder
    (self.isFramed, self.keepsPictures) = (isFramed, keepsPictures)
    let own = unsafe Unmanaged.passUnretained(self).toOpaque()
    let status = unsafe FLAC__stream_decoder_init_stream(
      decoder, { unsafe flac($3).read(into: $1, $2) },
      { unsafe flac($2).go(to: $1) },
      {
        unsafe $1?.pointee = unsafe flac($2).offset
        return FLAC__STREAM_DECODER_TELL_STATUS_OK
      },
      {
        unsafe $1?.pointee = unsafe flac($2).length
        return FLAC__STREAM_DECODER_LENGTH_STATUS_OK
      },
      { unsafe flac($1).isAtEnd ? 1 : 0 },
      { unsafe flac($3).write($1, $2) }, nil, { _, _, _ in }, own)
    guard status == FLAC__STREAM_DECODER_INIT_STATUS_OK else { throw .withoutMemory }
  }

  deinit { unsafe FLAC__stream_decoder_delete(decoder) }

  func feed(_ more: ArraySlice<UInt8>) { bytes.append(more) }

  func finish() { isFinished = true }

  /// Forgets the bytes that wait; the next ones begin with a frame.
  func restart() {
    (bytes, decoded, isFinished, stage) = (WaitingQueue(), [], false, .frames)
    unsafe FLAC__stream_decoder_flush(decoder)
  }

  func decode(onto samples: inout [Float]) -> DecodeStep {
    switch stage {
    case .failed(let reason): .failed(reason)
    case .head: readHead()
    case .blocks(let skipping, let isLast): passBlock(skipping, isLast: isLast)
    case .frames: decodeFrame(onto: &samples)
    }
  }

  private func decodeFrame(onto samples: inout [Float]) -> DecodeStep {
    let isWhole = isFramed ? !bytes.isEmpty : bytes.count >= largestFrame
    guard file != nil || isFinished || isWhole else { return .starving }
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
    stage = .failed(reason)
    return .failed(reason)
  }

  private func starve() -> DecodeStep { isFinished ? fail("damaged FLAC") : .starving }
}

// Before the first frame.
extension FlacDecoder {
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
    stage = isLast ? .frames : .blocks(skipping: 0, isLast: false)
    return .decoded
  }

  /// Passes over a block; of all blocks only the comments are kept, and the pictures where they are wanted.
  private func passBlock(_ skipping: Int, isLast: Bool) -> DecodeStep {
    guard skipping == 0 else {
      let left = skipping - bytes.take(skipping).count
      stage = left == 0 && isLast ? .frames : .blocks(skipping: left, isLast: isLast)
      return left == 0 ? .decoded : starve()
    }
    let header = Array(bytes.prefix(4))
    guard header.count == 4 else { return starve() }
    let (isEnd, length) = (header[0] & 0x80 != 0, header[1...].reduce(0) { $0 << 8 | Int($1) })
    let (isComments, isPicture) = (header[0] & 0x7F == 4, header[0] & 0x7F == 6)
    if isComments && length <= Self.largestComments || isPicture && keepsPictures {
      guard bytes.count >= 4 + length else { return starve() }
      take(bytes.prefix(4 + length).dropFirst(4), isPicture: isPicture)
    }
    bytes.take(4)
    stage = length == 0 && isEnd ? .frames : .blocks(skipping: length, isLast: isEnd)
    return .decoded
  }

  private func take(_ block: ArraySlice<UInt8>, isPicture: Bool) {
    guard !isPicture else { return comments.add(Picture(block: block)) }
    guard let found = Comments(vorbis: block, keepsPictures: keepsPictures) else { return }
    let picture = comments.picture
    comments = found
    comments.add(picture)
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
}

// A file. For libFLAC it has STREAMINFO and the sound, and nothing between them.
extension FlacDecoder {
  convenience init(_ file: FileBytes, keepsPictures: Bool) throws(DecodeError) {
    try self.init(keepsPictures: keepsPictures)
    var (file, none): (FileBytes, [Float]) = (file, [])
    while true {
      if case .frames = stage { break }
      switch decode(onto: &none) {
      case .decoded: continue
      case .failed(let reason): throw .unreadable(reason)
      case .starving:
        let more = file.next()
        if more.isEmpty { finish() } else { feed(more[...]) }
      }
    }
    soundStart = file.place - Int64(bytes.count)
    self.file = file
  }

  var place: Int64? { file?.place }

  func seek(to frame: Int64) -> Int64? {
    if case .failed = stage { restart() }
    decoded = []
    if frame >= frames ?? .max {
      restart()
      file?.place = .max
      return frames
    }
    if unsafe FLAC__stream_decoder_seek_absolute(decoder, UInt64(frame)) != 0 { return frame }
    restart()
    return nil
  }

  fileprivate var offset: UInt64 {
    guard let file else { return UInt64(max(0, Self.headBytes - bytes.count)) }
    return UInt64(max(0, file.place - Int64(bytes.count) - soundStart)) + UInt64(Self.headBytes)
  }

  fileprivate var length: UInt64 {
    UInt64(max(0, (file?.size ?? 0) - soundStart)) + UInt64(Self.headBytes)
  }

  fileprivate func go(to offset: UInt64) -> FLAC__StreamDecoderSeekStatus {
    guard file != nil, offset <= length else { return FLAC__STREAM_DECODER_SEEK_STATUS_UNSUPPORTED }
    bytes = WaitingQueue()
    file?.place = soundStart + max(0, Int64(offset) - Int64(Self.headBytes))
    return FLAC__STREAM_DECODER_SEEK_STATUS_OK
  }

  fileprivate var isAtEnd: Bool { bytes.isEmpty && file.map { $0.place >= $0.size } ?? true }

  /// Gives libFLAC the bytes that are there; no bytes mean the end.
  fileprivate func read(
    into room: UnsafeMutablePointer<UInt8>?, _ count: UnsafeMutablePointer<Int>?
  ) -> FLAC__StreamDecoderReadStatus {
    guard let count = unsafe count else { return FLAC__STREAM_DECODER_READ_STATUS_ABORT }
    if bytes.isEmpty, let more = file?.next() { bytes.append(more) }
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
    let (start, count, channels) = (decoded.count, Int(header.blocksize), format.channels)
    decoded += repeatElement(0, count: count * channels)
    unsafe decoded.withUnsafeMutableBufferPointer { samples in
      for channel in 0..<channels {
        guard let plane = unsafe planes[channel] else { continue }
        for index in 0..<count {
          unsafe samples[start + index * channels + channel] = Float(plane[index]) * scale
        }
      }
    }
    return FLAC__STREAM_DECODER_WRITE_STATUS_CONTINUE
  }
}

private func flac(_ owner: UnsafeMutableRawPointer?) -> FlacDecoder {
  guard let owner = unsafe owner else { preconditionFailure("libFLAC gives back what it was given") }
  return unsafe Unmanaged<FlacDecoder>.fromOpaque(owner).takeUnretainedValue()
}
