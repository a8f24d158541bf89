extension Message {
  /// A set of words, each at most once, or nil.
  func words<Words: WordSet>(ifPresent key: Key, as type: Words.Type) throws(WireError) -> Words? {
    guard let parts = try list(ifPresent: key) else { return nil }
    var words: Words = []
    for part in parts {
      guard let member = Words(word: part) else {
        throw .badValue(
          key: key.rawValue, value: part, expected: "one of \(Words.words.joined(separator: ", "))")
      }
      guard words.isDisjoint(with: member) else {
        throw .badValue(key: key.rawValue, value: parts.joined(separator: ","), expected: "each word once")
      }
      words.formUnion(member)
    }
    return words
  }

  /// Adds a set of words, in the order of display; nil adds nothing, an empty set adds `""`.
  func adding<Words: WordSet>(_ key: Key, words: Words?) -> Message {
    adding(key, list: words?.words)
  }

  func word<Word: RawRepresentable<String>>(
    ifPresent key: Key, among words: [Word]
  ) throws(WireError) -> Word? {
    guard let text = self[key] else { return nil }
    if let word = words.first(where: { $0.rawValue == text }) { return word }
    let all = words.map(\.rawValue).joined(separator: ", ")
    throw .badValue(key: key.rawValue, value: text, expected: "one of \(all)")
  }
}
