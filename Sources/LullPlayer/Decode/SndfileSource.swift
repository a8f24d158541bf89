internal import CSndfile
internal import LullSystem

@safe final class SndfileSource: FileSource {
  private static let blockFrames = 4096
  private let file: OpaquePointer
  private let info: SF_INFO

  init(_ descriptor: DescriptorBox) throws(DecodeError) {
    var info = SF_INFO()
    // libsndfile gets a descriptor of its own: where it cannot read a file, it closes the descriptor even
    // when told not to (1.2.0).
    let given = try descriptor.duplicated()
    guard let file = unsafe sf_open_fd(given, Int32(SFM_READ), &info, Int32(SF_TRUE)) else {
      throw .unreadable(Self.lastReason)
    }
    unsafe self.file = unsafe file
    self.info = info
  }

  deinit { unsafe sf_close(file) }

  /// The reason why the last file could not be opened, in libsndfile's words.
  private static var lastReason: String {
    guard let text = unsafe sf_strerror(nil) else { return "unknown format" }
    let words = unsafe String(cString: text)
    // Some of libsndfile's texts end with a full stop or a line feed.
    return String(words.reversed().drop { $0 == "." || $0.isWhitespace }.reversed())
  }

  var format: SoundFormat? {
    let isShort = [SF_FORMAT_PCM_16, SF_FORMAT_PCM_S8, SF_FORMAT_PCM_U8, SF_FORMAT_ALAC_16]
      .contains(Int(info.format) & SF_FORMAT_SUBMASK)
    return SoundFormat(
      rate: Int(info.samplerate), channels: Int(info.channels), sample: isShort ? .s16 : .f32)
  }

  var frames: Int64? { (0..<Int64.max / 2).contains(info.frames) ? info.frames : nil }

  var comments: Comments {
    func text(_ kind: Int) -> String {
      unsafe sf_get_string(file, Int32(kind)).map { unsafe String(cString: $0) } ?? ""
    }
    return Comments([
      ("TITLE", text(SF_STR_TITLE)), ("ARTIST", text(SF_STR_ARTIST)), ("ALBUM", text(SF_STR_ALBUM)),
      ("GENRE", text(SF_STR_GENRE)), ("TRACKNUMBER", text(SF_STR_TRACKNUMBER)),
    ])
  }

  func decode(onto samples: inout [Float]) -> DecodeStep {
    let channels = Int(info.channels)
    let count = unsafe samples.append(atMost: Self.blockFrames * channels) { room in
      unsafe max(0, Int(sf_readf_float(file, room, Int64(Self.blockFrames)))) * channels
    }
    if count > 0 { return .decoded }
    return unsafe sf_error(file) == Int32(SF_ERR_NO_ERROR) ? .starving : .failed("damaged")
  }

  func seek(to frame: Int64) -> Int64? {
    let reached = unsafe sf_seek(file, frame, Int32(SEEK_SET))
    return reached < 0 ? nil : reached
  }
}
