import TestSupport
import Testing

/// A test that does not end is named, and ends its run (Tests/Support/TestSupport/Bound.swift).
@Suite(.bounded) struct SuiteTests {
  @Test func `every suite has a bound`() throws {
    var count = 0
    for file in try Tree.files(under: "Tests") where file.path.hasSuffix(".swift") {
      for suite in file.suites {
        count += 1
        if !suite.contains(".bounded") { Issue.record("\(file.path) has no bound: \(suite)") }
      }
    }
    #expect(count > 200)
  }

  @Test func `a suite without a bound is found`() {
    let text = """
      @Suite(.serialized)
      struct One {
        @Test func nothing() {}
      }

      private struct Helper {
        let word = "@Test"
      }

      @Suite(.bounded) struct Two {
        @Suite struct Inner {
          @Test func nothing() {}
        }
      }

      """
    let file = SourceFile(path: "Tests/XTests/YTests.swift", text: text)
    #expect(file.suites == ["@Suite(.serialized) struct One {", "@Suite(.bounded) struct Two {"])
  }
}

extension SourceFile {
  /// The heads of the outermost types that have tests, with their attributes. A suite within one of them, or
  /// in an extension, has the bound of the outermost type.
  fileprivate var suites: [String] {
    var suites: [String] = []
    var head = ""
    for line in lines {
      if line.hasPrefix("}") || line.hasPrefix("//") || line.contains("import ") {
        head = ""
      } else if !line.isEmpty, !line.hasPrefix(" ") {
        head = (head.hasPrefix("@") && !head.hasSuffix("{") ? head + " " : "") + line
      } else if line.contains(/^ +@Test\b/), !head.isEmpty {
        if !head.hasPrefix("extension ") { suites.append(head) }
        head = ""
      }
    }
    return suites
  }
}
