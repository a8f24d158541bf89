/// A part of a file that is an item of its own: a track of a cue sheet.
public struct Excerpt: Hashable, Sendable {
  /// The parts that a second has in a cue sheet: the frames of a compact disc.
  public static let partsPerSecond = 75
  /// Where it begins, in 1/75 s; not negative.
  public var start: Int
  /// Where it ends, in 1/75 s, after `start`; nil: with the file.
  public var end: Int?
  /// What the cue sheet says of it.
  public var tags: Tags

  /// Nil for an end that does not come after the start, and for times beyond a year.
  public init?(start: Int, end: Int? = nil, tags: Tags = Tags()) {
    let possible = 0...(366 * 86_400 * Self.partsPerSecond)
    guard possible.contains(start), end.map({ $0 > start && possible.contains($0) }) ?? true else {
      return nil
    }
    (self.start, self.end, self.tags) = (start, end, tags)
  }

  /// The frames of a file with this rate that it holds; the upper bound is nil where the file's end ends it.
  func frames(rate: Int) -> (start: Int64, end: Int64?) {
    (Self.frame(start, rate), end.map { Self.frame($0, rate) })
  }

  private static func frame(_ parts: Int, _ rate: Int) -> Int64 {
    Int64(parts) * Int64(rate) / Int64(partsPerSecond)
  }
}
