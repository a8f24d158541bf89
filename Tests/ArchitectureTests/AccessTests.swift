import TestSupport
import Testing

/// A promise to the users of the package stands only in the modules that they can import, and in the modules
/// of whose types those speak. Everything else is `package`.
@Suite(.bounded) struct AccessTests {
  @Test func `only what others may import is public`() throws {
    let products = try Tree.file("Package.swift").text.matches(of: /\.library\(name: "(\w+)"/)
      .map { String($0.1) }
    #expect(products.contains("Lull"))
    let promised = try spokenOf(by: products)
    for module in try Tree.folders(in: "Sources") where !promised.contains(module) {
      for file in try Tree.files(under: "Sources/\(module)") where file.path.hasSuffix(".swift") {
        for line in file.code where isPublic(line) { Issue.record("\(file.path): \(line)") }
      }
    }
  }

  @Test func `a public declaration is found, and a public import is none`() {
    #expect(isPublic("public struct One {"))
    #expect(isPublic("@frozen public enum Two {"))
    #expect(!isPublic("public import Lull"))
    #expect(!isPublic("package var text = \"public \""))
  }

  /// The modules, and those that they import publicly, directly or through others.
  private func spokenOf(by products: [String]) throws -> Set<String> {
    var found: Set<String> = []
    var open = products
    while let module = open.popLast() {
      guard found.insert(module).inserted else { continue }
      for file in try Tree.files(under: "Sources/\(module)") where file.path.hasSuffix(".swift") {
        for line in file.code where line.contains("public import") {
          open += SourceFile(path: file.path, text: String(line)).imports
        }
      }
    }
    return found
  }

  private func isPublic(_ line: Substring) -> Bool {
    let words = line.split(separator: " ").drop { $0.hasPrefix("@") }
    return (words.first == "public" || words.first == "open") && words.dropFirst().first != "import"
  }
}
