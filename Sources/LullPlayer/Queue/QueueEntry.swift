/// An entry to add to a queue.
public struct QueueEntry: Hashable, Sendable {
  /// The location of the sound.
  public var location: Location
  /// The part of the file; nil: all of it.
  public var excerpt: Excerpt?

  /// An entry.
  public init(_ location: Location, _ excerpt: Excerpt? = nil) {
    (self.location, self.excerpt) = (location, excerpt)
  }
}
