/// A word from a list that another version of Lull may have more of.
public struct OpenWord<Known: RawRepresentable<String> & Sendable>: Hashable, Encodable, Sendable {
  /// The word itself.
  public let text: String

  /// Nil for a word that this version does not know.
  public var known: Known? { Known(rawValue: text) }

  /// A word of this version.
  public init(_ known: Known) { text = known.rawValue }

  /// A word as it was received.
  public init(_ text: String) { self.text = text }

  /// Writes the word alone.
  public func encode(to encoder: any Encoder) throws { try text.encode(to: encoder) }
}
