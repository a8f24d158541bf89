internal import CMpg123

/// MPEG audio, by libmpg123's feeder.
@safe final class MP3Decoder: PushDecoder {
  private let handle: OpaquePointer
  private(set) var format: StreamFormat?
  private var failure: String?
  private static let room = 16384
  /// Bytes of anything else that are passed over.
  private static let resyncLimit = 1 << 16

  /// Nil when there is no memory. A radio may send whole files in sequence: the length that a file tells of
  /// itself does not end the stream.
  init?(isLive: Bool = false) {
    guard let handle = unsafe mpg123_new(nil, nil) else { return nil }
    unsafe self.handle = handle
    var flags = MPG123_QUIET.rawValue
    if isLive { flags |= MPG123_IGNORE_INFOFRAME.rawValue }
    unsafe mpg123_param2(handle, Int32(MPG123_ADD_FLAGS.rawValue), Int(flags), 0)
    unsafe mpg123_param2(handle, Int32(MPG123_RESYNC_LIMIT.rawValue), Self.resyncLimit, 0)
    unsafe mpg123_format_none(handle)
    allow(rate: 0, channels: MPG123_MONO.rawValue | MPG123_STEREO.rawValue)
    unsafe mpg123_open_feed(handle)
  }

  deinit { unsafe mpg123_delete(handle) }

  func feed(_ bytes: ArraySlice<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { bytes in
      guard unsafe mpg123_feed(handle, bytes.baseAddress, bytes.count) != MPG123_OK.rawValue else { return }
      failure = lastReason
    }
  }

  func finish() {}

  func decode(onto samples: inout [Float]) -> PushStep {
    if let failure { return .failed(failure) }
    let start = samples.count
    samples += repeatElement(0, count: Self.room)
    var bytes = 0
    let result = unsafe samples.withUnsafeMutableBytes { all in
      let room = unsafe UnsafeMutableRawBufferPointer(rebasing: all[(start * 4)...])
      return unsafe mpg123_read(handle, room.baseAddress, room.count, &bytes)
    }
    samples.removeSubrange((start + bytes / 4)...)
    switch result {
    case MPG123_OK.rawValue: return .decoded
    case MPG123_NEW_FORMAT.rawValue: return learnFormat()
    case MPG123_NEED_MORE.rawValue, MPG123_DONE.rawValue: return .starving
    default:
      failure = lastReason
      return .failed(lastReason)
    }
  }

  /// A jingle in mono between pieces in stereo is converted by libmpg123; another rate ends the stream.
  private func learnFormat() -> PushStep {
    var (rate, channels, encoding): (Int, Int32, Int32) = (0, 0, 0)
    unsafe mpg123_getformat(handle, &rate, &channels, &encoding)
    format = StreamFormat(rate: rate, channels: Int(channels))
    unsafe mpg123_format_none(handle)
    allow(rate: rate, channels: channels == 1 ? MPG123_MONO.rawValue : MPG123_STEREO.rawValue)
    return .decoded
  }

  private func allow(rate: Int, channels: UInt32) {
    unsafe mpg123_format2(handle, rate, Int32(channels), Int32(MPG123_ENC_FLOAT_32.rawValue))
  }

  private var lastReason: String {
    guard let text = unsafe mpg123_strerror(handle) else { return "damaged MP3" }
    return unsafe String(cString: text)
  }
}

// ID3v2.
extension MP3Decoder {
  var comments: Comments {
    var old: UnsafeMutablePointer<mpg123_id3v1>?
    var new: UnsafeMutablePointer<mpg123_id3v2>?
    guard unsafe mpg123_id3(handle, &old, &new) == MPG123_OK.rawValue, let tag = unsafe new?.pointee else {
      return Comments()
    }
    let texts = unsafe UnsafeBufferPointer(start: tag.text, count: tag.texts)
    let extras = unsafe UnsafeBufferPointer(start: tag.extra, count: tag.extras)
    let named = unsafe texts.compactMap { text in unsafe Self.entry(text) }
    let own = unsafe extras.map { extra in
      unsafe (name: Self.text(extra.description).uppercased(), value: Self.text(extra.text))
    }
    return Comments(named + own)
  }

  /// The names of ID3v2.3 and 2.4; libmpg123 makes those of 2.2 the same.
  private static let names = [
    "TIT2": "TITLE", "TPE1": "ARTIST", "TALB": "ALBUM", "TCON": "GENRE", "TRCK": "TRACKNUMBER",
    "TPE2": "ALBUMARTIST",
  ]

  private static func entry(_ text: mpg123_text) -> (name: String, value: String)? {
    let bytes = unsafe [text.id.0, text.id.1, text.id.2, text.id.3].map { UInt8(bitPattern: $0) }
    guard let name = names[String(decoding: bytes, as: UTF8.self)] else { return nil }
    return unsafe (name, Self.text(text.text))
  }

  /// The first of several texts.
  private static func text(_ string: mpg123_string) -> String {
    guard let start = unsafe string.p, unsafe string.fill > 0 else { return "" }
    let bytes = unsafe UnsafeBufferPointer(start: start, count: string.fill)
    return unsafe String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
