internal import LullModel
internal import LullSystem

/// An open sound file, frame by frame: MP3, FLAC and Ogg (Vorbis, Opus, FLAC) by the decoders of streams,
/// everything else (WAV, AIFF) by libsndfile.
public final class FileDecoder: Decoding {
  private let known: MediaDescription
  /// The frame that the next read begins with.
  public private(set) var frame: Int64 = 0
  /// Never called: a file is opened at once and never runs dry.
  public var onChange: (() -> Void)?
  private let source: any FileSource
  private let file: DescriptorBox
  private var samples = WaitingQueue<Float>()
  /// True when reading has ended at something that cannot be decoded.
  private var isDamaged = false
  /// The bytes to read ahead, about 25 s of FLAC.
  private static let readAheadBytes = 1 << 22

  /// Opens a file. A pipe or a device could block for ever, so only regular files are opened.
  public init(path: [UInt8]) throws(DecodeError) {
    file = try FileDecoder.open(path)
    source = try FileDecoder.source(of: file)
    guard let format = source.format else { throw .unreadable("no sound in it") }
    var description = MediaDescription(
      format: try format.checked(), frames: source.frames, tags: source.comments.tags)
    description.gain = source.comments.gain
    known = description
  }

  static func picture(in path: [UInt8]) -> Picture? {
    (try? source(of: open(path), forPicture: true))?.comments.picture
  }

  private static func open(_ path: [UInt8]) throws(DecodeError) -> DescriptorBox {
    do throws(SystemError) {
      if let file = try Files.openRegular(path) { return file }
    } catch {
      throw error.isNoSuchFile ? .notFound : .unreadable(error.message)
    }
    throw .notAFile
  }

  /// The description of the file.
  public var state: DecoderState { .ready(known) }

  /// Has the next part of the file read into memory while the player sleeps: a refill then waits for no disk.
  public func readAhead(queued seconds: Double) {
    Files.readAhead(file.raw, at: source.place, count: FileDecoder.readAheadBytes)
  }

  /// Reads whole frames into the buffer.
  public func read(into buffer: UnsafeMutableBufferPointer<Float>) -> DecodedFrames {
    let channels = known.format.channels
    let room = buffer.count / channels * channels
    while samples.count < room {
      let step = samples.append { source.decode(onto: &$0) }
      guard step != .decoded else { continue }
      // Behind the last frame of a known number may stand anything, such as the tags of another format.
      if case .failed = step { isDamaged = known.frames == nil }
      break
    }
    let taken = samples.take(room)
    guard !taken.isEmpty else { return .end }
    unsafe _ = buffer.update(fromContentsOf: taken)
    frame += Int64(taken.count / channels)
    return .frames(taken.count / channels)
  }

  /// Goes to a frame; a frame beyond the end is the end.
  public func seek(to target: Int64) throws(DecodeError) {
    let wanted = max(0, min(target, known.frames ?? target))
    guard wanted != frame else { return }
    (samples, isDamaged) = (WaitingQueue(), false)
    guard let reached = source.seek(to: wanted) else { throw .notSeekable }
    frame = reached
  }

  /// The reason why the file ended before its announced end; nil when it did not.
  public var shortfall: String? {
    guard isDamaged || known.frames.map({ frame < $0 }) ?? false else { return nil }
    let place = ClockText.text(Double(frame) / Double(known.format.rate))
    let whole = known.duration.map { " of \(ClockText.text($0))" } ?? ""
    return "truncated or damaged: ends at \(place)\(whole)"
  }
}

extension FileDecoder {
  private static let mostTags = 4
  /// Longer tags are passed over: libmpg123 would hold all of one in memory.
  private static let longestTags: Int64 = 1 << 24

  /// The decoder by the beginning of the file, behind its tags (ID3v2). One that is opened for its picture
  /// need not know its length.
  private static func source(
    of file: DescriptorBox, forPicture: Bool = false
  ) throws(DecodeError) -> any FileSource {
    var tags: Int64 = 0
    for _ in 0..<mostTags {
      let head = (try? Files.read(file.raw, at: tags, count: 10)) ?? []
      guard head.count == 10, head.starts(with: "ID3".utf8) else { break }
      // An integer of four times seven bits (ID3v2, 6.2).
      tags += 10 + head[6...].reduce(0) { $0 << 7 | Int64($1 & 0x7F) }
    }
    let bytes = FileBytes(file.raw, at: tags)
    let head = (try? Files.read(file.raw, at: tags, count: 4)) ?? []
    switch SoundKind(head) {
    case .ogg: return try OggFile(bytes, keepsPictures: forPicture)
    case .flac: return try FlacDecoder(bytes, keepsPictures: forPicture)
    // Between a tag and the first frame there may be a gap.
    case .other where tags > 0 && !["RIFF", "FORM"].contains(where: { head.starts(with: $0.utf8) }), .mp3:
      return try MP3Decoder(bytes, skipsTags: tags > longestTags, keepsPictures: forPicture)
    case .aac, .other, nil: return try SndfileSource(file)
    }
  }

  /// Opens an item that is a file or a part of one: the ``DecoderOpener`` of a player without streams.
  public static func open(_ item: PlayerItem) throws(DecodeError) -> any Decoding {
    guard case .file(let path) = item.location else { throw .unreadable("streams cannot be played") }
    let decoder = try FileDecoder(path: path)
    guard let excerpt = item.excerpt else { return decoder }
    return try ExcerptDecoder(decoder, excerpt)
  }
}

struct FileBytes {
  private static let piece = 1 << 14
  let file: Int32
  let size: Int64
  var place: Int64

  init(_ file: Int32, at place: Int64 = 0) {
    (self.file, self.place) = (file, place)
    size = Int64((try? Files.size(file)) ?? 0)
  }

  /// The next bytes; none at the end. A file that cannot be read any more ends too early, which is told.
  mutating func next() -> [UInt8] {
    let bytes = (try? Files.read(file, at: place, count: Self.piece)) ?? []
    place += Int64(bytes.count)
    return bytes
  }
}
