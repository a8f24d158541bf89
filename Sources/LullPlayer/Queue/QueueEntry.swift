/// What is to be added to a queue.
public struct QueueEntry: Hashable, Sendable {
  /// Where its sound stands.
  public var location: Location
  /// The part of it; nil: all.
  public var excerpt: Excerpt?

  /// An entry.
  public init(_ location: Location, _ excerpt: Excerpt? = nil) {
    (self.location, self.excerpt) = (location, excerpt)
  }
}
