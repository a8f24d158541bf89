internal import CSndfile
internal import LullModel
internal import LullSystem

/// A file that libsndfile reads.
@safe final class SndfileSound: FileSound {
  let description: MediaDescription
  private let file: OpaquePointer

  init(_ descriptor: DescriptorBox) throws(DecodeError) {
    var info = SF_INFO()
    // libsndfile gets a descriptor of its own: where it cannot read a file, it closes the descriptor even
    // when told not to (1.2.0).
    let given = try Self.duplicate(descriptor)
    guard let file = unsafe sf_open_fd(given, Int32(SFM_READ), &info, Int32(SF_TRUE)) else {
      throw .unreadable(Self.lastReason)
    }
    do throws(DecodeError) {
      var description = try unsafe Self.describe(file, info)
      description.gain = FileComments.read(descriptor.raw).gain
      self.description = description
    } catch {
      unsafe sf_close(file)
      throw error
    }
    unsafe self.file = unsafe file
  }

  deinit { unsafe sf_close(file) }

  private static func duplicate(_ descriptor: DescriptorBox) throws(DecodeError) -> Int32 {
    do throws(SystemError) {
      return try Descriptor.duplicating(descriptor.raw).take()
    } catch {
      throw .unreadable(error.message)
    }
  }

  /// libsndfile's descriptor is a duplicate, and so has the same place in the file.
  var place: Int64? { nil }

  var isDamaged: Bool { unsafe sf_error(file) != Int32(SF_ERR_NO_ERROR) }

  /// Integers are exact: a 16-bit sample fills the upper half of a 32-bit sample (libsndfile's manual,
  /// sf_readf_int).
  func read(_ sample: SampleFormat, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let frames = Int64(buffer.count / (description.format.channels * sample.bytes))
    guard frames > 0, let start = buffer.baseAddress else { return 0 }
    let count =
      switch sample {
      case .f32: unsafe sf_readf_float(file, start.assumingMemoryBound(to: Float.self), frames)
      case .s32: unsafe sf_readf_int(file, start.assumingMemoryBound(to: Int32.self), frames)
      case .u8, .s16, .s24: unsafe sf_readf_short(file, start.assumingMemoryBound(to: Int16.self), frames)
      }
    return max(0, Int(count))
  }

  func seek(to frame: Int64) -> Int64? {
    let reached = unsafe sf_seek(file, frame, Int32(SEEK_SET))
    return reached < 0 ? nil : reached
  }

  /// The reason why the last file could not be opened, in libsndfile's words.
  private static var lastReason: String {
    guard let text = unsafe sf_strerror(nil) else { return "unknown format" }
    let words = unsafe String(cString: text)
    // Some of libsndfile's texts end with a full stop or a line feed.
    return String(words.reversed().drop { $0 == "." || $0.isWhitespace }.reversed())
  }
}

// The description of the file.
extension SndfileSound {
  private static func describe(_ file: OpaquePointer, _ info: SF_INFO) throws(DecodeError) -> MediaDescription
  {
    let (rate, channels) = (Int(info.samplerate), Int(info.channels))
    guard let format = FrameFormat(rate: rate, channels: channels, sample: sample(of: info.format)) else {
      throw .impossibleFormat(rate: rate, channels: channels)
    }
    let isKnown = info.frames >= 0 && info.frames < Int64.max / 2
    return unsafe MediaDescription(
      format: format, frames: isKnown ? info.frames : nil, tags: tags(of: file))
  }

  /// The sample format that holds the file's samples without loss.
  private static func sample(of format: Int32) -> SampleFormat {
    switch Int(format) & SF_FORMAT_SUBMASK {
    case SF_FORMAT_PCM_16, SF_FORMAT_PCM_S8, SF_FORMAT_PCM_U8, SF_FORMAT_ALAC_16: .s16
    case SF_FORMAT_PCM_24, SF_FORMAT_PCM_32, SF_FORMAT_ALAC_20, SF_FORMAT_ALAC_24, SF_FORMAT_ALAC_32: .s32
    default: .f32
    }
  }

  private static func tags(of file: OpaquePointer) -> Tags {
    func text(_ kind: Int) -> String? {
      guard let value = unsafe sf_get_string(file, Int32(kind)) else { return nil }
      let text = unsafe String(cString: value)
      return text.isEmpty ? nil : text
    }
    return Tags(
      title: text(SF_STR_TITLE), artist: text(SF_STR_ARTIST), album: text(SF_STR_ALBUM),
      genre: text(SF_STR_GENRE), trackNumber: text(SF_STR_TRACKNUMBER))
  }
}
