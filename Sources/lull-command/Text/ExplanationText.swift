import LullWire

/// The sentences of what the daemon tells in words and facts.
enum ExplanationText {
  /// The sentence of a `message` or a `detail`. It is printed as it is when it comes from another program, or
  /// from a daemon of another version: a sentence, or a word that is not known here, with its facts.
  static func sentence(_ text: String) -> String {
    if let what = Unwatchable(rawValue: text) { return sentence(what) }
    return Explanation(text).map(sentence) ?? text
  }

  static func sentence(_ why: Explanation) -> String {
    sentences[why.verb].flatMap { filled($0, with: why.message()) } ?? why.line
  }

  /// The sentence of an entry's detail, or of an entry that needs none.
  static func detail(of entry: EntryItem) -> String? {
    entry.detail.map(sentence) ?? sentencesOfEntries[entry.what.text]
  }

  /// Nil where a fact is missing.
  private static func filled(_ template: String, with facts: Message) -> String? {
    var text = ""
    for (part, isChoice) in parts(of: template[...], between: "[", "]") {
      let choices = isChoice ? Self.choices(part) : [part]
      let filled = choices.lazy.compactMap { written($0, with: facts) }.first
      guard filled != nil || isChoice && choices.count == 1 else { return nil }
      text += filled ?? ""
    }
    return text
  }

  private static func choices(_ part: Substring) -> [Substring] {
    guard let cut = part.place(of: "//") else { return [part] }
    return [part[..<cut.lowerBound], part[cut.upperBound...]].filter { !$0.isEmpty }
  }

  /// For a text without brackets.
  private static func written(_ part: Substring, with facts: Message) -> String? {
    var text = ""
    for (piece, isFact) in parts(of: part, between: "{", "}") {
      let names = piece.split(separator: ":")
      guard isFact, let key = names.first else { text += piece; continue }
      guard let value = facts[String(key)] else { return nil }
      text += names.count == 1 ? value : written(value, as: names[1])
    }
    return text
  }

  private static func written(_ value: String, as way: Substring) -> String {
    let number = Double(value) ?? 0
    return switch way {
    case "up": "\(Int(number.rounded(.up)))"
    case "ms": "\(max(1, Int(number * 1000)))"
    case "KiB": "\(Int((number / 1024).rounded()))"
    case "MiB": "\(Int(number / 0x10_0000))"
    case "times": number == 1 ? "once" : "\(value) times in a row"
    default: value.split(separator: ",").joined(separator: ", ")
    }
  }

  /// The pieces of a text; true for those between the marks.
  private static func parts(
    of text: Substring, between opening: Character, _ closing: Character
  ) -> [(Substring, Bool)] {
    text.split(omittingEmptySubsequences: false) { $0 == opening || $0 == closing }.enumerated()
      .map { ($1, $0 % 2 == 1) }
  }
}
