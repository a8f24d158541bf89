/// The played samples, in step with the captured ones: for each captured frame the one that played meanwhile.
///
/// Positions count samples since the speaker began. The position that plays when a frame is captured is known
/// only by estimates, which are late when the program is late. So the step is kept, and is corrected by the
/// median of the estimates of half a second when that contradicts it: after a change of the device, after a
/// stream that stood still, or when clocks drift apart.
public struct EchoReference: Sendable {
  /// The samples by which the reference is ahead of the estimate: the filter can remove an echo that comes
  /// after its cause, and not one that comes before it.
  static let lead = Int64(Opus.rate / 20)
  /// The samples by which the estimates may contradict the step.
  static let slack = Int64(Opus.rate / 100)
  /// So many estimates come before the step is changed.
  static let patience = 25
  /// A second.
  private static let capacity = Int64(Opus.rate)

  private var samples = [Int16](repeating: 0, count: Opus.rate)
  /// The position behind the last sample that was played.
  private var end: Int64 = 0
  /// The position of the next sample of the reference.
  private var cursor: Int64?
  /// The last estimates of the error of `cursor`.
  private var offsets: [Int64] = []

  /// Creates a reference in which nothing was played.
  public init() {}

  /// Adds played samples, from a position on.
  public mutating func play(_ frame: [Int16], at position: UInt64) {
    let start = Int64(clamping: position)
    for (offset, sample) in frame.enumerated() {
      samples[Int((start + Int64(offset)) % Self.capacity)] = sample
    }
    end = start + Int64(frame.count)
  }

  /// The `count` reference samples of a captured frame, whose first sample was captured when about this
  /// position was played.
  public mutating func next(_ count: Int, heard position: Int64) -> [Int16] {
    let place = cursor ?? position + Self.lead
    cursor = correct(place, position + Self.lead - place) + Int64(count)
    return (place..<place + Int64(count)).map { index in
      index >= max(0, end - Self.capacity) && index < end ? samples[Int(index % Self.capacity)] : 0
    }
  }

  /// Forgets the step, because the device stands still or was changed.
  public mutating func forgetStep() { (cursor, offsets) = (nil, []) }

  private mutating func correct(_ place: Int64, _ offset: Int64) -> Int64 {
    offsets.append(offset)
    guard offsets.count >= Self.patience else { return place }
    let median = offsets.sorted()[offsets.count / 2]
    offsets.removeAll(keepingCapacity: true)
    return abs(median) > Self.slack ? place + median : place
  }
}
