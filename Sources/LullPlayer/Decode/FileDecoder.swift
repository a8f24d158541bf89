public import LullModel
internal import LullSystem

/// An open sound file, frame by frame: MP3 and Ogg (Vorbis, Opus, FLAC) go the way of a stream, everything
/// else (WAV, AIFF, FLAC) is read by libsndfile.
public final class FileDecoder: Decoding {
  private let known: MediaDescription
  /// The frame that the next read begins with.
  public private(set) var frame: Int64 = 0
  /// Never called: a file is opened at once and never runs dry.
  public var onChange: (() -> Void)?
  private let sound: any FileSound
  private let descriptor: DescriptorBox
  /// The bytes to read ahead, about 25 s of FLAC.
  private static let readAheadBytes = 1 << 22

  /// Opens a file. A pipe or a device could block for ever, so only regular files are opened.
  public init(path: [UInt8]) throws(DecodeError) {
    descriptor = try FileDecoder.open(path)
    sound = try FileKind(descriptor.raw).open(descriptor)
    known = sound.description
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
    Files.readAhead(descriptor.raw, at: sound.place, count: FileDecoder.readAheadBytes)
  }

  /// Reads whole frames into the buffer, in samples of the given kind.
  public func read(_ sample: SampleFormat, into buffer: UnsafeMutableRawBufferPointer) -> DecodedFrames {
    let count = unsafe sound.read(sample, into: buffer)
    guard count > 0 else { return .end }
    frame += Int64(count)
    return .frames(count)
  }

  /// Goes to a frame; a frame beyond the end is the end.
  public func seek(to target: Int64) throws(DecodeError) {
    let wanted = max(0, min(target, known.frames ?? target))
    guard wanted != frame else { return }
    guard let reached = sound.seek(to: wanted) else { throw .notSeekable }
    frame = reached
  }

  /// The reason why the file ended before its announced end; nil when it did not.
  public var shortfall: String? {
    guard sound.isDamaged || known.frames.map({ frame < $0 }) ?? false else { return nil }
    let place = ClockText.text(Double(frame) / Double(known.format.rate))
    let whole = known.duration.map { " of \(ClockText.text($0))" } ?? ""
    return "truncated or damaged: ends at \(place)\(whole)"
  }
}
