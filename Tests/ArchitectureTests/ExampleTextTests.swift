import TestSupport
import Testing

/// The programs that the documents show are those of `Examples`, which are built and run.
@Suite(.bounded) struct ExampleTextTests {
  @Test(arguments: [("README.md", 1), ("Sources/Lull/Lull.docc/Tour.md", 2)])
  func `a loop in a document is that of an example`(document: String, count: Int) throws {
    let examples = try Tree.files(under: "Examples").map { Self.squeezed($0.text) }
    let blocks = try Self.blocks(of: Tree.file(document)).filter {
      $0.contains("application.run()") || $0.contains("application.dispatch()")
    }
    #expect(blocks.count == count, "\(blocks)")
    for block in blocks {
      let text = Self.squeezed(block)
      #expect(examples.contains { $0.contains(text) }, "\(document): in no example:\n\(block)")
    }
  }

  /// The code of a document: what is fenced or indented by four spaces.
  private static func blocks(of document: SourceFile) -> [String] {
    var (blocks, isFenced) = ([""], false)
    for line in document.lines {
      if line.hasPrefix("```") {
        isFenced.toggle()
      } else if isFenced || line.hasPrefix("    ") || line.isEmpty {
        blocks[blocks.count - 1] += line + "\n"
        continue
      }
      blocks.append("")
    }
    return blocks
  }

  /// A text without spaces and line breaks: a document has less room.
  private static func squeezed(_ text: String) -> String { text.filter { !$0.isWhitespace } }
}
