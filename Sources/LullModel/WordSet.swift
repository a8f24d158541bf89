/// A set that is written as a list of words, such as `voip,audio`.
public protocol WordSet: OptionSet, Sendable where Element == Self {
  /// Every member with its word, in the order of display.
  static var all: [(member: Self, word: String)] { get }
}

extension WordSet {
  /// The word of each member.
  public static var words: [String] { all.map(\.word) }

  /// The words of the members that are in the set, in the order of display.
  public var words: [String] { Self.all.filter { contains($0.member) }.map { $0.word } }

  /// The set of one member; nil for an unknown word.
  public init?(word: String) {
    guard let entry = Self.all.first(where: { $0.word == word }) else { return nil }
    self = entry.member
  }
}
