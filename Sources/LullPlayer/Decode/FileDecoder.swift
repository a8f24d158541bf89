internal import CSndfile
public import LullModel
internal import LullSystem

/// An open sound file (WAV, FLAC, Ogg Vorbis and Opus, MP3 and whatever else libsndfile reads), frame by
/// frame.
@safe public final class FileDecoder: Decoding {
  private let known: MediaDescription
  /// The frame that the next read begins with.
  public private(set) var frame: Int64 = 0
  /// Never called: a file is opened at once and never runs dry.
  public var onChange: (() -> Void)?
  private let file: OpaquePointer
  private let descriptor: DescriptorBox
  /// The bytes to read ahead, about 25 s of FLAC.
  private static let readAheadBytes = 1 << 22

  /// Opens a file. A pipe or a device could block for ever, so only regular files are opened.
  public init(path: [UInt8]) throws(DecodeError) {
    descriptor = try FileDecoder.open(path)
    var info = SF_INFO()
    // libsndfile gets a descriptor of its own: where it cannot read a file, it closes the descriptor even
    // when told not to (1.2.0).
    let given = try FileDecoder.duplicate(descriptor)
    guard let file = unsafe sf_open_fd(given, Int32(SFM_READ), &info, Int32(SF_TRUE)) else {
      throw .unreadable(FileDecoder.lastReason)
    }
    do throws(DecodeError) {
      var description = try unsafe FileDecoder.describe(file, info)
      description.gain = FileComments.read(descriptor.raw).gain
      known = description
    } catch {
      unsafe sf_close(file)
      throw error
    }
    unsafe self.file = unsafe file
  }

  deinit {
    unsafe sf_close(file)
    descriptor.close()
  }

  private static func open(_ path: [UInt8]) throws(DecodeError) -> DescriptorBox {
    do throws(SystemError) {
      if let file = try Files.openRegular(path) { return file }
    } catch {
      throw error.isNoSuchFile ? .notFound : .unreadable(error.message)
    }
    throw .notAFile
  }

  private static func duplicate(_ descriptor: DescriptorBox) throws(DecodeError) -> Int32 {
    do throws(SystemError) {
      return try Descriptor.duplicating(descriptor.raw).take()
    } catch {
      throw .unreadable(error.message)
    }
  }

  /// The description of the file.
  public var state: DecoderState { .ready(known) }

  /// Has the next part of the file read into memory while the player sleeps: a refill then waits for no disk.
  public func readAhead(queued seconds: Double) {
    // libsndfile's descriptor is a duplicate, and so has the same place in the file.
    Files.readAhead(descriptor.raw, count: FileDecoder.readAheadBytes)
  }

  /// Reads whole frames into the buffer, in samples of the given kind.
  ///
  /// Integers are exact: a 16-bit sample fills the upper half of a 32-bit sample (libsndfile's manual,
  /// sf_readf_int).
  public func read(_ sample: SampleFormat, into buffer: UnsafeMutableRawBufferPointer) -> DecodedFrames {
    let frames = Int64(buffer.count / (known.format.channels * sample.bytes))
    guard frames > 0, let start = buffer.baseAddress else { return .end }
    let count =
      switch sample {
      case .f32: unsafe sf_readf_float(file, start.assumingMemoryBound(to: Float.self), frames)
      case .s32: unsafe sf_readf_int(file, start.assumingMemoryBound(to: Int32.self), frames)
      case .u8, .s16, .s24: unsafe sf_readf_short(file, start.assumingMemoryBound(to: Int16.self), frames)
      }
    guard count > 0 else { return .end }
    frame += count
    return .frames(Int(count))
  }

  /// Goes to a frame; a frame beyond the end is the end.
  public func seek(to target: Int64) throws(DecodeError) {
    let wanted = max(0, min(target, known.frames ?? target))
    guard wanted != frame else { return }
    let reached = unsafe sf_seek(file, wanted, Int32(SEEK_SET))
    guard reached >= 0 else { throw .notSeekable }
    frame = reached
  }

  /// The reason why the file ended before its announced end; nil when it did not.
  public var shortfall: String? {
    let failed = unsafe sf_error(file) != Int32(SF_ERR_NO_ERROR)
    guard failed || known.frames.map({ frame < $0 }) ?? false else { return nil }
    let place = ClockText.text(Double(frame) / Double(known.format.rate))
    let whole = known.duration.map { " of \(ClockText.text($0))" } ?? ""
    return "truncated or damaged: ends at \(place)\(whole)"
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
extension FileDecoder {
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
