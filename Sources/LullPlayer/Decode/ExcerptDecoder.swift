internal import LullModel

/// A part of a sound, without the rest.
///
/// The next part begins with the frame behind this part's last frame, so that the two are played without a
/// gap.
public final class ExcerptDecoder: Decoding {
  private let whole: any Decoding
  private let excerpt: Excerpt

  /// The part of an opened file.
  public init(_ whole: any Decoding, _ excerpt: Excerpt) throws(DecodeError) {
    (self.whole, self.excerpt) = (whole, excerpt)
    try whole.seek(to: start)
  }

  /// The state, with the description of the part.
  public var state: DecoderState {
    guard case .ready(var description) = whole.state else { return whole.state }
    let end = [end, description.frames].compactMap { $0 }.min()
    description.frames = end.map { max(0, $0 - start) }
    return .ready(description)
  }

  /// The frame of the part that the next read begins with.
  public var frame: Int64 { whole.frame - start }
  /// The reason why the file ended before the part did; nil when it did not.
  public var shortfall: String? {
    if let end, whole.frame >= end { nil } else { whole.shortfall }
  }
  /// The same as of the whole sound.
  public var onChange: (() -> Void)? {
    get { whole.onChange }
    set { whole.onChange = newValue }
  }

  /// Reads up to the part's end.
  public func read(into samples: UnsafeMutableBufferPointer<Float>) -> DecodedFrames {
    guard let end, let channels = whole.description?.format.channels else {
      return unsafe whole.read(into: samples)
    }
    let frames = min(max(0, end - whole.frame), Int64(samples.count / channels))
    guard frames > 0 else { return .end }
    let part = unsafe UnsafeMutableBufferPointer(rebasing: samples[..<(Int(frames) * channels)])
    return unsafe whole.read(into: part)
  }

  /// Goes to a frame of the part.
  public func seek(to frame: Int64) throws(DecodeError) {
    let wanted = start.addingReportingOverflow(max(0, frame))
    let target = wanted.overflow ? .max : wanted.partialValue
    try whole.seek(to: min(target, end ?? target))
  }

  /// The same as of the whole sound.
  public func readAhead(queued seconds: Double) { whole.readAhead(queued: seconds) }

  private var rate: Int { whole.description?.format.rate ?? 0 }
  private var start: Int64 { excerpt.frames(rate: rate).start }
  private var end: Int64? { excerpt.frames(rate: rate).end }
}
