import TestSupport
import Testing

/// A call is read at the place where it stands: with three values in a row and no labels nobody knows which
/// is which.
@Suite(.bounded) struct LabelTests {
  @Test func `no function takes three parameters or more without a label`() throws {
    for file in try ["Sources", "Tests", "Tools", "Examples"].flatMap(Tree.files(under:)) {
      guard file.path.hasSuffix(".swift") else { continue }
      for function in functions(in: file.text) where function.unlabelled > 2 {
        Issue.record("\(file.path): \(function.head)")
      }
    }
  }

  @Test func `labels are counted, and a closure, a list or a comment at the end needs none`() {
    // The word is put together here, or this file would be found.
    let function = "fu" + "nc"
    let found = functions(
      in: """
        \(function) one(_ a: Int, _ b: [String: (Int, Int)], _ c: Int = min(1, 2)) {}
        init(_ a: Int, b: Int, c d: Int, @Builder _ body: (Int, Int) -> Void) {}
        static \(function) < <T>(_ a: T, _ b: Box<T, T>, _ c: T) -> Bool { false }
        \(function) list(_ a: Int, _ b: Int, _ c: Int...) {}
        \(function) comment(_ a: Int, _ b: Int, _ c: Comment = "") {}
        """)
    #expect(found.map(\.unlabelled) == [3, 1, 3, 2, 2])
  }

  /// The functions and initializers that are declared, with the number of their parameters without a label.
  private func functions(in text: String) -> [(head: String, unlabelled: Int)] {
    var found: [(head: String, unlabelled: Int)] = []
    var rest = text[...]
    while let match = rest.firstMatch(of: /\b(?:func\s+[^\s(]+(?:\s*<[^()]*>)?|init[?!]?(?:<[^()]*>)?)\(/) {
      rest = rest[match.range.upperBound...]
      let parameters = parameters(in: rest)
      let isUnlabelled = { (parameter: String) in parameter.contains(/^\s*(?:@\w+\s+)*_\s+\w+\s*:/) }
      let endsOpenly = ["->", "...", ": Comment"].contains { parameters.last?.contains($0) == true }
      let counted = endsOpenly ? parameters.dropLast() : parameters[...]
      found.append((String(match.0), counted.count(where: isUnlabelled)))
    }
    return found
  }

  /// The parameters up to the bracket that closes the list.
  private func parameters(in text: Substring) -> [String] {
    var (parameters, depth, last): ([String], Int, Character) = ([""], 0, " ")
    for character in text {
      switch character {
      case "(", "[", "{", "<": depth += 1
      case ")" where depth == 0: return parameters
      case ")", "]", "}": depth -= 1
      case ">" where last != "-": depth -= 1
      case "," where depth == 0: parameters.append("")
      default: break
      }
      if character != "," || depth > 0 { parameters[parameters.count - 1].append(character) }
      last = character
    }
    return parameters
  }
}
