/// The items and their frames at the positions of an audio session.
///
/// Frames are written up to half a minute before they are heard; the item that is heard is shown.
struct ItemTimeline {
  /// An item's frames, from a position of the audio session on.
  struct Segment: Equatable {
    /// The audio session's position of the first frame.
    var start: UInt64
    var item: ItemID
    /// The item's frame at `start`.
    var frame: Int64
  }

  private var segments: [Segment] = []

  /// Notes that the item's frames from `frame` on stand at `position`, the end of the written frames.
  mutating func append(_ item: ItemID, frame: Int64, at position: UInt64) {
    // A flushed or empty segment has no frame: the new one takes its place.
    segments.removeAll { $0.start >= position }
    segments.append(Segment(start: position, item: item, frame: frame))
  }

  /// The segment that a position lies in, at least the first; nil when there is none.
  func segment(at position: UInt64) -> Segment? {
    segments.last { $0.start <= position } ?? segments.first
  }

  func place(at position: UInt64) -> (item: ItemID, frame: Int64)? {
    guard let segment = segment(at: position) else { return nil }
    let passed = position > segment.start ? Int64(position - segment.start) : 0
    return (segment.item, segment.frame + passed)
  }

  /// The start of the next item, or of the same item anew, after a position.
  func nextStart(after position: UInt64) -> UInt64? {
    segments.first { $0.start > position }?.start
  }

  func begins(_ item: ItemID, after position: UInt64) -> Bool {
    segments.contains { $0.start > position && $0.item == item }
  }

  mutating func forget(before position: UInt64) {
    guard let last = segments.lastIndex(where: { $0.start <= position }) else { return }
    segments.removeFirst(last)
  }
}
