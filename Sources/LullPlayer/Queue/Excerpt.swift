/// A part of a file that is an item of its own: a track of a cue sheet.
public struct Excerpt: Hashable, Sendable {
  /// The parts of a second in a cue sheet: the frames of a compact disc.
  public static let partsPerSecond = 75
  /// The start in 1/75 s, not negative.
  public var start: Int
  /// The end in 1/75 s, after `start`; nil: the file's end.
  public var end: Int?
  /// The tags in the cue sheet.
  public var tags: Tags

  /// A part; nil for an end that does not come after the start, and for times beyond a year.
  public init?(start: Int, end: Int? = nil, tags: Tags = Tags()) {
    let possible = 0...(366 * 86_400 * Self.partsPerSecond)
    guard possible.contains(start), end.map({ $0 > start && possible.contains($0) }) ?? true else {
      return nil
    }
    (self.start, self.end, self.tags) = (start, end, tags)
  }

  /// The part's frames in a file of this rate; `end` is nil where the part ends with the file.
  func frames(rate: Int) -> (start: Int64, end: Int64?) {
    (Self.frame(start, rate), end.map { Self.frame($0, rate) })
  }

  private static func frame(_ parts: Int, _ rate: Int) -> Int64 {
    Int64(parts) * Int64(rate) / Int64(partsPerSecond)
  }
}
