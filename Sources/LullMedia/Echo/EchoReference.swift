/// What was played, in step with what is captured: the frame that was heard while the microphone captured
/// another one.
///
/// Positions count samples since the speaker began. Where playing is when a frame is captured is known only
/// by estimates, and those come late as often as the program is late; so the step is kept, and only changed
/// when all estimates of half a second contradict it: a device that was changed, a stream that stood, clocks
/// that drift apart.
public struct EchoReference: Sendable {
  /// The reference is ahead of the estimate by this: the filter can make up for an echo that comes after what
  /// makes it, and not before.
  static let lead = Int64(Opus.rate / 20)
  /// By so many samples the estimates may contradict.
  static let slack = Int64(Opus.rate / 100)
  /// So many estimates are heard before the step is changed.
  static let patience = 25
  /// What is kept of what was played: a second.
  private static let capacity = Int64(Opus.rate)

  private var samples = [Int16](repeating: 0, count: Opus.rate)
  /// The position behind the last sample that was played.
  private var end: Int64 = 0
  /// The position of the next sample of the reference.
  private var cursor: Int64?
  /// The last estimates of how far that is off.
  private var offsets: [Int64] = []

  /// Nothing was played yet.
  public init() {}

  /// Samples are played, from this position on.
  public mutating func play(_ frame: [Int16], at position: UInt64) {
    let start = Int64(clamping: position)
    for (offset, sample) in frame.enumerated() {
      samples[Int((start + Int64(offset)) % Self.capacity)] = sample
    }
    end = start + Int64(frame.count)
  }

  /// What belongs to a frame that was captured, of which the first sample was captured when about this
  /// position was heard.
  public mutating func next(_ count: Int, heard position: Int64) -> [Int16] {
    let place = cursor ?? position + Self.lead
    cursor = correct(place, position + Self.lead - place) + Int64(count)
    return (place..<place + Int64(count)).map { index in
      index >= max(0, end - Self.capacity) && index < end ? samples[Int(index % Self.capacity)] : 0
    }
  }

  /// The device stands still, or there is another one.
  public mutating func forgetStep() { (cursor, offsets) = (nil, []) }

  private mutating func correct(_ place: Int64, _ offset: Int64) -> Int64 {
    offsets.append(offset)
    guard offsets.count >= Self.patience else { return place }
    let median = offsets.sorted()[offsets.count / 2]
    offsets.removeAll(keepingCapacity: true)
    return abs(median) > Self.slack ? place + median : place
  }
}
