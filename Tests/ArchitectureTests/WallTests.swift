import TestSupport
import Testing

/// A folder of a module is an owner: its objects are asked, never written to from outside. `private` keeps a
/// property to its file; this keeps the others, which the files of one folder share, to their folder.
@Suite(.bounded) struct WallTests {
  /// Modules in which a file still writes to an object of another folder. A module without such a file leaves
  /// this list.
  private static let open: Set = ["LullAudio", "LullPlayer"]

  @Test func `no file writes what another owner holds`() throws {
    for module in try Tree.folders(in: "Sources") where !Self.open.contains(module) {
      for write in try writes(in: module) { Issue.record("\(write)") }
    }
  }

  @Test(arguments: open.sorted())
  func `a module with walls leaves the list`(module: String) throws {
    #expect(try !writes(in: module).isEmpty, "take \(module) out of WallTests.open")
  }

  @Test func `a write over a wall is found, and a write within a folder is none`() {
    func file(_ path: String, _ text: String) -> SourceFile {
      SourceFile(path: "Sources/M/\(path)", text: text)
    }
    let files = [
      file("A/One.swift", "final class One {\n  var held = 0\n  var list: [Int] = []\n}"),
      file("A/Two.swift", "func two(_ one: One) { one.held = 1 }"),
      file("B/Three.swift", "struct Three {\n  let one: One\n  func set() { one.held += 1 }\n}"),
      file("B/One+Four.swift", "extension One {\n  func four() { self.held = 4 }\n}"),
      file("B/Five.swift", "func five(_ one: One) { one.list.append(5) }"),
      file("B/Six.swift", "func six(_ one: One) -> Bool { one.held == 6 && one.list[0] == 6 }"),
      file("C/Seven.swift", "struct Seven {\n  var held = 7\n  mutating func set() { self.held = 8 }\n}"),
    ]
    #expect(Walls(files).writes().map(\.path) == ["Sources/M/B/Five.swift", "Sources/M/B/Three.swift"])
  }

  private func writes(in module: String) throws -> [Walls.Write] {
    try Walls(Tree.files(under: "Sources/\(module)").filter { $0.path.hasSuffix(".swift") }).writes()
  }
}
