internal import LullModel

/// The sound of an open file.
protocol FileSound: AnyObject {
  var description: MediaDescription { get }
  /// The byte at which the file is read on; nil: the place of its descriptor.
  var place: Int64? { get }
  /// True when reading has ended at something that cannot be decoded.
  var isDamaged: Bool { get }
  /// Reads whole frames into the buffer, in samples of the given kind; returns their number, 0 at the end.
  func read(_ sample: SampleFormat, into buffer: UnsafeMutableRawBufferPointer) -> Int
  /// Goes to a frame and returns the one that was reached; nil: the file can only be read forward.
  func seek(to frame: Int64) -> Int64?
}

/// A file that brings its bytes by itself to the decoder of a stream.
protocol FileSteps: AnyObject {
  var format: StreamFormat? { get }
  var comments: Comments { get }
  /// The number of frames of the whole; nil: not known.
  var frames: Int64? { get }
  var place: Int64? { get }
  /// Appends some interleaved samples; `starving` is the end of the file.
  func decode(onto samples: inout [Float]) -> PushStep
  /// Goes to a frame and returns the one that was reached.
  func seek(to frame: Int64) -> Int64?
}

/// The floats of such a file.
final class DecodedFile: FileSound {
  private let source: any FileSteps
  let description: MediaDescription
  private var samples: [Float] = []
  private(set) var isDamaged = false

  init(_ source: any FileSteps) throws(DecodeError) {
    guard let own = source.format else { throw .unreadable("no sound in it") }
    guard let format = FrameFormat(rate: own.rate, channels: own.channels, sample: .f32) else {
      throw .impossibleFormat(rate: own.rate, channels: own.channels)
    }
    let comments = source.comments
    var description = MediaDescription(format: format, frames: source.frames, tags: comments.tags)
    description.gain = comments.gain
    (self.source, self.description) = (source, description)
  }

  var place: Int64? { source.place }

  func read(_ sample: SampleFormat, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    guard sample == .f32 else { return 0 }
    let channels = description.format.channels
    let room = buffer.count / (sample.bytes * channels) * channels
    while samples.count < room {
      let step = source.decode(onto: &samples)
      guard step != .decoded else { continue }
      // Behind the last frame of a known number may stand anything, such as the tags of another format.
      if case .failed = step { isDamaged = description.frames == nil }
      break
    }
    let count = min(room, samples.count)
    unsafe samples[..<count].withUnsafeBytes { unsafe buffer.copyMemory(from: $0) }
    samples.removeFirst(count)
    return count / channels
  }

  func seek(to frame: Int64) -> Int64? {
    (samples, isDamaged) = ([], false)
    return source.seek(to: frame)
  }
}
