internal import LullModel
internal import LullSystem

/// An open sound file, or a part of one: MP3, FLAC and Ogg (Vorbis, Opus, FLAC) by the decoders of streams,
/// everything else (WAV, AIFF) by libsndfile.
///
/// Where a part ends the next one begins, so that the two are played without a gap.
package final class FileDecoder: Decoding {
  /// The bytes to read ahead, about 25 s of FLAC.
  private static let readAheadBytes = 1 << 22

  private let known: MediaDescription
  private let file: DescriptorBox
  private let source: any FileSource
  /// The frames of the file at which the part begins and ends.
  private let start: Int64
  private let end: Int64?
  private var samples = WaitingQueue<Float>()
  /// The frame of the file that the next read begins with.
  private var place: Int64 = 0
  /// True when reading has ended at something that cannot be decoded.
  private var isDamaged = false
  /// Never called: a file is opened at once and never runs dry.
  package var onChange: (() -> Void)?

  /// Opens a file. A pipe or a device could block for ever, so only regular files are opened.
  package init(path: [UInt8], _ excerpt: Excerpt? = nil) throws(DecodeError) {
    file = try FileDecoder.open(path)
    source = try FileDecoder.source(of: file)
    guard let format = try source.format?.checked() else { throw .unreadable("no sound in it") }
    let (start, end) = excerpt?.frames(rate: format.rate) ?? (0, nil)
    (self.start, self.end) = (start, end)
    var description = MediaDescription(format: format, tags: source.comments.tags)
    description.frames = [end, source.frames].compactMap(\.self).min().map { max(0, $0 - start) }
    description.gain = source.comments.gain
    known = description
    try seek(to: 0)
  }

  /// The ``DecoderOpener`` of a player without streams.
  package static func open(_ item: PlayerItem) throws(DecodeError) -> any Decoding {
    guard case .file(let path) = item.location else { throw .unreadable("streams cannot be played") }
    return try FileDecoder(path: path, item.entry.excerpt)
  }

  package var state: DecoderState { .ready(known) }
  package var frame: Int64 { place - start }

  /// Has the next part of the file read into memory while the player sleeps: a refill then waits for no disk.
  package func readAhead(queued seconds: Double) {
    Files.readAhead(file.raw, at: source.place, count: FileDecoder.readAheadBytes)
  }

  package func read(into buffer: UnsafeMutableBufferPointer<Float>) -> DecodedFrames {
    let channels = known.format.channels
    let room = Int(min(Int64(buffer.count / channels), max(0, (end ?? .max) - place))) * channels
    while samples.count < room, decode() {}
    let taken = samples.take(room)
    guard !taken.isEmpty else { return .end }
    unsafe _ = buffer.update(fromContentsOf: taken)
    place += Int64(taken.count / channels)
    return .frames(taken.count / channels)
  }

  /// Decodes a step; false at the end.
  private func decode() -> Bool {
    switch samples.append(by: { source.decode(onto: &$0) }) {
    case .decoded: return true
    case .starving: break
    // Behind the last frame of a known number may stand anything, such as the tags of another format.
    case .failed: isDamaged = source.frames == nil
    }
    return false
  }

  package func seek(to frame: Int64) throws(DecodeError) {
    let last = [end, source.frames].compactMap(\.self).min() ?? .max
    let target = min(last, start + max(0, min(frame, .max - start)))
    guard target != place else { return }
    (samples, isDamaged) = (WaitingQueue(), false)
    guard let reached = source.seek(to: target) else { throw .notSeekable }
    place = reached
    let channels = known.format.channels
    while place < target, !samples.isEmpty || decode() {
      let count = min(target - place, Int64(samples.count / channels))
      samples.take(Int(count) * channels)
      place += count
    }
  }

  /// The reason why the file ended before its announced end, or the end of the part; nil when it did not.
  package var shortfall: String? {
    if let end, place >= end { return nil }
    guard isDamaged || source.frames.map({ place < $0 }) ?? false else { return nil }
    func time(_ frames: Int64) -> String { ClockText.text(Double(frames) / Double(known.format.rate)) }
    let whole = source.frames.map { " of \(time($0))" } ?? ""
    return "truncated or damaged: ends at \(time(place))\(whole)"
  }
}

// The kinds of files.
extension FileDecoder {
  private static let mostTags = 4
  /// Longer tags are passed over: libmpg123 would hold all of one in memory.
  private static let longestTags: Int64 = 1 << 24

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

  /// The decoder by the beginning of the file, behind its tags (ID3v2). One that is opened for its picture
  /// need not know its length.
  private static func source(
    of file: DescriptorBox, forPicture: Bool = false
  ) throws(DecodeError) -> any FileSource {
    var bytes = FileBytes(file.raw)
    for _ in 0..<mostTags {
      let head = bytes.head(10)
      guard head.count == 10, head.starts(with: "ID3".utf8) else { break }
      // An integer of four times seven bits (ID3v2, 6.2).
      bytes.place += 10 + head[6...].reduce(0) { $0 << 7 | Int64($1 & 0x7F) }
    }
    let (head, tags) = (bytes.head(4), bytes.place)
    switch SoundKind(head) {
    case .ogg: return try OggFile(bytes, keepsPictures: forPicture)
    case .flac: return try FlacDecoder(bytes, of: file, keepsPictures: forPicture)
    // Between a tag and the first frame there may be a gap.
    case .other where tags > 0 && !["RIFF", "FORM"].contains(where: { head.starts(with: $0.utf8) }), .mp3:
      return try MP3Decoder(bytes, skipsTags: tags > longestTags, keepsPictures: forPicture)
    case .aac, .other, nil: return try SndfileSource(file)
    }
  }
}

struct FileBytes {
  private static let piece = 1 << 14
  let file: Int32
  let size: Int64
  var place: Int64 = 0

  init(_ file: Int32) { (self.file, size) = (file, Int64((try? Files.size(file)) ?? 0)) }

  /// The next bytes, which are read again.
  func head(_ count: Int) -> [UInt8] { (try? Files.read(file, at: place, count: count)) ?? [] }

  /// The next bytes; none at the end. A file that cannot be read any more ends too early, which is told.
  mutating func next() -> [UInt8] {
    let bytes = head(Self.piece)
    place += Int64(bytes.count)
    return bytes
  }
}

extension DescriptorBox {
  /// A descriptor of the same file, with the same place in it, for a library that closes it.
  func duplicated() throws(DecodeError) -> Int32 {
    do throws(SystemError) {
      return try Descriptor.duplicating(raw).take()
    } catch {
      throw .unreadable(error.message)
    }
  }
}
