import TestSupport
import Testing

/// A folder of a module is an owner: nobody else knows its parts. So files may know each other in a circle
/// only inside one folder. A chapter of a class is a file like any other; the chapters of a value are where
/// the value is, since its state is theirs.
@Suite(.bounded) struct CircleTests {
  @Test func `files know each other in a circle only within an owner's folder`() throws {
    for module in try Tree.folders(in: "Sources") {
      for circle in try wideCircles(of: module) {
        Issue.record("\(module): \(circle.joined(separator: ", ")) know each other")
      }
    }
  }

  @Test func `a circle over two folders is found, also one of calls between the chapters of a type`() {
    func file(_ path: String, _ text: String) -> SourceFile {
      SourceFile(path: "Sources/M/\(path)", text: text)
    }
    let circle = [
      file("A/One.swift", "struct One { let two: Two? }"),
      file("B/Two.swift", "public final class Two { var text = \"\\(Three.self)\" }"),
      file("B/Three.swift", "enum Three { case one(One) }"),
    ]
    #expect(FileGraph(circle).circles() == [circle.map(\.path).sorted()])
    #expect(owners(circle.map(\.path)) == ["A", "B"])
    let line = [
      file("A/One.swift", "// Two\nstruct One { let text = \"Two\" }"),
      file("B/Two.swift", "struct Two { let one: One }\nprivate struct One {}"),
    ]
    #expect(FileGraph(line).circles().isEmpty)
    let chapters = ["Sources/M/A/One.swift", "Sources/M/B/One+Two.swift"]
    #expect(owners(chapters, classes: ["One"]) == ["A", "B"])
    #expect(owners(chapters, classes: []) == ["A"])
    let first = file("A/One.swift", "struct One {\n  func call() { answer() }\n  func ask() {}\n}")
    let chapter = file("B/One+Two.swift", "extension One {\n  func answer() { ask() }\n}")
    #expect(FileGraph([first, chapter]).circles().count == 1)
    let silent = file("A/One.swift", "struct One {\n  func ask() {}\n}")
    #expect(FileGraph([silent, chapter]).circles().isEmpty)
    let user = file("B/Two.swift", "extension One {\n  var two: Int { 2 }\n  fileprivate func three() {}\n}")
    let three = [file("A/One.swift", "struct One { let three: Int }"), user]
    #expect(FileGraph(three).circles().isEmpty)
    let words = file("A/One.swift", "@_exported public import enum Model.Word\nimport Model")
    let more = file("B/Two.swift", "@_exported public import struct Model.Text\nimport Model")
    #expect(FileGraph([words, more]).circles().isEmpty)
    let two = [file("A/One.swift", "struct One { func four() { two } }"), user]
    #expect(FileGraph(two).circles().count == 1)
  }

  private func wideCircles(of module: String) throws -> [[String]] {
    let files = try Tree.files(under: "Sources/\(module)").filter { $0.path.hasSuffix(".swift") }
    let classes = files.flatMap { file in
      file.lines.compactMap { $0.firstMatch(of: /^(?:\w+ )*class (\w+)/).map { String($0.1) } }
    }
    return FileGraph(files).circles().filter { owners($0, classes: Set(classes)).count > 1 }
  }

  /// The folders below the module of those files.
  private func owners(_ paths: [String], classes: Set<String> = []) -> Set<Substring> {
    func folder(_ path: String) -> Substring {
      path.split(separator: "/").dropFirst(2).dropLast().first ?? ""
    }
    func name(_ path: String) -> Substring { path.split(separator: "/").last ?? "" }
    return Set(
      paths.map { path in
        let type = name(path).split(separator: "+")
        guard type.count > 1, !classes.contains(String(type[0])) else { return folder(path) }
        return folder(paths.first { name($0) == "\(type[0]).swift" } ?? path)
      })
  }
}
