internal import CMpg123
internal import LullSystem
internal import LullWire

/// MPEG audio, by libmpg123: by its feeder, or of a file, which it reads by itself.
@safe final class MP3Decoder: PushDecoder, FileSource {
  private let handle: OpaquePointer
  private(set) var format: SoundFormat?
  private(set) var frames: Int64?
  private var failure: String?
  private static let room = 16384
  /// The most bytes that are no MPEG audio and are passed over.
  private static let resyncLimit = 1 << 16

  /// A radio may send whole files in sequence: the length that a file tells of itself does not end the
  /// stream.
  convenience init(isLive: Bool) throws(DecodeError) {
    try self.init(flags: isLive ? MPG123_IGNORE_INFOFRAME.rawValue : 0)
    unsafe mpg123_open_feed(handle)
  }

  private init(flags: UInt32) throws(DecodeError) {
    guard let handle = unsafe mpg123_new(nil, nil) else { throw .withoutMemory }
    unsafe self.handle = handle
    let flags = flags | MPG123_QUIET.rawValue
    unsafe mpg123_param2(handle, Int32(MPG123_ADD_FLAGS.rawValue), Int(flags), 0)
    unsafe mpg123_param2(handle, Int32(MPG123_RESYNC_LIMIT.rawValue), Self.resyncLimit, 0)
    unsafe mpg123_format_none(handle)
    allow(rate: 0, channels: MPG123_MONO.rawValue | MPG123_STEREO.rawValue)
  }

  deinit { unsafe mpg123_delete(handle) }

  func feed(_ bytes: ArraySlice<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { bytes in
      guard unsafe mpg123_feed(handle, bytes.baseAddress, bytes.count) != MPG123_OK.rawValue else { return }
      failure = lastReason
    }
  }

  func finish() {}

  func decode(onto samples: inout [Float]) -> DecodeStep {
    if let failure { return .failed(failure) }
    var result: Int32 = 0
    _ = unsafe samples.append(atMost: Self.room) { room in
      var bytes = 0
      result = unsafe mpg123_read(handle, room, 4 * Self.room, &bytes)
      return bytes / 4
    }
    switch result {
    case MPG123_OK.rawValue: return .decoded
    case MPG123_NEW_FORMAT.rawValue where learnFormat(): return .decoded
    case MPG123_NEED_MORE.rawValue, MPG123_DONE.rawValue: return .starving
    default:
      failure = lastReason
      return .failed(lastReason)
    }
  }

  /// A jingle in mono between pieces in stereo is converted by libmpg123; another rate ends the stream.
  private func learnFormat() -> Bool {
    var (rate, channels, encoding): (Int, Int32, Int32) = (0, 0, 0)
    guard unsafe mpg123_getformat(handle, &rate, &channels, &encoding) == MPG123_OK.rawValue else {
      return false
    }
    format = SoundFormat(rate: rate, channels: Int(channels))
    unsafe mpg123_format_none(handle)
    allow(rate: rate, channels: channels == 1 ? MPG123_MONO.rawValue : MPG123_STEREO.rawValue)
    return true
  }

  private func allow(rate: Int, channels: UInt32) {
    unsafe mpg123_format2(handle, rate, Int32(channels), Int32(MPG123_ENC_FLOAT_32.rawValue))
  }

  private var lastReason: String {
    guard let text = unsafe mpg123_strerror(handle) else { return "damaged MP3" }
    return unsafe String(cString: text)
  }

  // MARK: Files

  private static let lengthMarks = ["Xing", "Info", "VBRI"].map { Array($0.utf8) }
  /// The bytes behind the tags in which the first frame tells the length.
  private static let firstBytes = 2048

  /// Opens a file whose sound begins at a place. One that is opened for its picture is not counted.
  convenience init(_ file: FileBytes, skipsTags: Bool, keepsPictures: Bool) throws(DecodeError) {
    try self.init(
      flags: (skipsTags ? MPG123_SKIP_ID3V2.rawValue : 0) | (keepsPictures ? MPG123_PICTURE.rawValue : 0))
    guard unsafe mpg123_open_fd(handle, file.file) == MPG123_OK.rawValue else {
      throw .unreadable(lastReason)
    }
    guard learnFormat() else { throw .unreadable("no MPEG audio that can be played in it") }
    guard !keepsPictures else { return }
    let first = file.head(Self.firstBytes)
    // Otherwise the length would be a guess from the first frames, which is far off for a variable bit rate.
    if !Self.lengthMarks.contains(where: { first.holds($0) }) { unsafe mpg123_scan(handle) }
    let length = unsafe Int64(mpg123_length(handle))
    frames = length >= 0 ? length : nil
  }

  func seek(to frame: Int64) -> Int64? {
    failure = nil
    let reached = unsafe Int64(mpg123_seek(handle, Int(frame), SEEK_SET))
    return reached < 0 ? nil : reached
  }

  // MARK: Tags

  var comments: Comments {
    var old: UnsafeMutablePointer<mpg123_id3v1>?
    var new: UnsafeMutablePointer<mpg123_id3v2>?
    guard unsafe mpg123_id3(handle, &old, &new) == MPG123_OK.rawValue else { return Comments() }
    var comments = Comments()
    if let tag = unsafe new?.pointee { comments = unsafe Self.comments(tag) }
    if comments.tags == Tags(), let tag = unsafe old?.pointee {
      comments = Comments([
        ("TITLE", Self.fixed(tag.title)), ("ARTIST", Self.fixed(tag.artist)),
        ("ALBUM", Self.fixed(tag.album)), ("GENRE", ID3Genre.name(String(tag.genre))),
      ])
    }
    return comments
  }

  private static func comments(_ tag: mpg123_id3v2) -> Comments {
    var entries = unsafe [
      (name: "TITLE", value: text(tag.title?.pointee)), ("ARTIST", text(tag.artist?.pointee)),
      ("ALBUM", text(tag.album?.pointee)), ("GENRE", ID3Genre.name(text(tag.genre?.pointee))),
    ]
    unsafe UnsafeBufferPointer(start: tag.text, count: tag.texts).forEach { text in
      let id = unsafe [text.id.0, text.id.1, text.id.2, text.id.3].map { UInt8(bitPattern: $0) }
      if id == Array("TRCK".utf8) { entries.append(("TRACKNUMBER", unsafe Self.text(text.text))) }
    }
    unsafe UnsafeBufferPointer(start: tag.extra, count: tag.extras).forEach { extra in
      entries.append(unsafe (text(extra.description).uppercased(), text(extra.text)))
    }
    var comments = Comments(entries)
    unsafe UnsafeBufferPointer(start: tag.picture, count: tag.pictures).forEach { picture in
      let bytes = unsafe UnsafeBufferPointer(start: picture.data, count: picture.size)
      unsafe comments.add(Picture(bytes, kind: Int(picture.type)))
    }
    return comments
  }

  /// A field of ID3v1: bytes of a fixed number, filled up with zeros or blanks.
  private static func fixed<Field>(_ field: Field) -> String {
    let bytes = unsafe withUnsafeBytes(of: field) { unsafe Array($0.prefix { $0 != 0 }) }
    return StreamText.trimmed(StreamText.decoded(bytes[...]))
  }

  /// The first of several texts.
  private static func text(_ string: mpg123_string?) -> String {
    guard let string = unsafe string, let start = unsafe string.p else { return "" }
    let bytes = unsafe UnsafeBufferPointer(start: start, count: string.fill)
    return unsafe String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

/// The genres of ID3v1, which ID3v2 may name by their numbers.
enum ID3Genre {
  private static let names = [
    "Blues", "Classic Rock", "Country", "Dance", "Disco", "Funk", "Grunge", "Hip-Hop", "Jazz", "Metal",
    "New Age", "Oldies", "Other", "Pop", "R&B", "Rap", "Reggae", "Rock", "Techno", "Industrial",
    "Alternative", "Ska", "Death Metal", "Pranks", "Soundtrack", "Euro-Techno", "Ambient", "Trip-Hop",
    "Vocal", "Jazz+Funk", "Fusion", "Trance", "Classical", "Instrumental", "Acid", "House", "Game",
    "Sound Clip", "Gospel", "Noise", "Alternative Rock", "Bass", "Soul", "Punk", "Space", "Meditative",
    "Instrumental Pop", "Instrumental Rock", "Ethnic", "Gothic", "Darkwave", "Techno-Industrial",
    "Electronic", "Pop-Folk", "Eurodance", "Dream", "Southern Rock", "Comedy", "Cult", "Gangsta", "Top 40",
    "Christian Rap", "Pop/Funk", "Jungle", "Native American", "Cabaret", "New Wave", "Psychedelic", "Rave",
    "Showtunes", "Trailer", "Lo-Fi", "Tribal", "Acid Punk", "Acid Jazz", "Polka", "Retro", "Musical",
    "Rock & Roll", "Hard Rock",
  ]

  /// The name in a text such as `17`, `(17)` or `(17)Rock`; any other text is the name itself. A number that
  /// is no genre's gives an empty name.
  static func name(_ text: String) -> String {
    let isBraced = text.hasPrefix("(")
    let inner = isBraced ? text.dropFirst().prefix { $0 != ")" } : text[...]
    guard let number = Int(inner) else { return text }
    let rest = isBraced ? text.drop { $0 != ")" }.dropFirst() : ""
    guard rest.isEmpty else { return String(rest) }
    return names.indices.contains(number) ? names[number] : ""
  }
}
