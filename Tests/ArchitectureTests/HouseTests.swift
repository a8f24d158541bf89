import TestSupport
import Testing

/// The rules of the house that a reader would otherwise have to watch over (CONTRIBUTING.md).
@Suite(.bounded) struct HouseTests {
  @Test func `no file has more than 400 lines`() throws {
    let files = try Tree.everything()
    #expect(files.count > 200)
    for file in files {
      #expect(file.lines.count <= 401, "\(file.path) has \(file.lines.count - 1) lines")
    }
  }

  @Test func `C is what Glibc's module leaves out: CLinux has less than 1,000 lines`() throws {
    let files = try Tree.files(under: "Sources/CLinux")
    #expect(files.count > 5)
    #expect(files.reduce(0) { $0 + $1.lines.count - 1 } < 1000)
  }

  @Test
  func `each feature of lulld is registered, and Daemon has no more than the loop, its switches and reports`()
    throws
  {
    let files = try Tree.files(under: "Sources/LullDaemon")
    let features = files.flatMap { file in
      file.lines.compactMap { $0.firstMatch(of: /^final class (\w+): Feature/).map { String($0.1) } }
    }
    let daemon = try Tree.file("Sources/LullDaemon/Daemon/Daemon.swift")
    let list = try #require(daemon.text.firstMatch(of: /features = \[([^\]]*)\]/)?.1)
    let registered = list.split(separator: ",").map { $0.filter { !$0.isWhitespace } }.filter { !$0.isEmpty }
    let owned = registered.compactMap { name in
      daemon.lines.compactMap { $0.firstMatch(of: /^  let (\w+): (\w+Feature)$/) }
        .first { $0.1 == name }.map { String($0.2) }
    }
    #expect(features.count > 5)
    #expect(owned.sorted() == features.sorted())
    let methods = try Tree.files(under: "Sources/LullDaemon/Daemon").filter {
      $0.path.contains(/Daemon[.+][^\/]*$/)
    }
    .reduce(0) { $0 + $1.lines.count { $0.contains(/^  (private |package )*(func|var) \w+/) } }
    #expect(methods <= 65)
  }

  @Test func `nothing names a path of somebody's machine`() throws {
    // The words are put together here, or this file would be found.
    let paths = ["ho" + "me", "ro" + "ot", "wo" + "rk", "Us" + "ers"].map { "/\($0)/" }
    for file in try Tree.everything() {
      for path in paths where file.text.contains(path) { Issue.record("\(file.path) names \(path)") }
    }
  }

  @Test func `no marks are left for later`() throws {
    let marks = ["TO" + "DO", "FIX" + "ME", "XX" + "X:", "HA" + "CK"]
    for file in try Tree.everything() {
      for mark in marks where file.text.contains(mark) { Issue.record("\(file.path) has a \(mark)") }
    }
  }

  @Test func `no test waits by sleeping`() throws {
    // The word is put together here, too.
    let call = "sleep" + "("
    for file in try Tree.files(under: "Tests") where file.text.contains(call) {
      for line in file.code where line.contains(/(^|[^.]|\w\.)\b(u|nano)?sleep\(/) {
        Issue.record("\(file.path): \(line)")
      }
    }
  }

  @Test func `the README names the two commands that a newcomer runs`() throws {
    let readme = try Tree.file("README.md").text
    for command in ["Tools/demo", "Tools/test"] {
      #expect(readme.contains(command), "README.md does not name \(command)")
      #expect(try !Tree.file(command).text.isEmpty)
    }
  }

  @Test func `CHANGELOG tells of the version that the programs tell`() throws {
    let version = try #require(
      Tree.file("Sources/LullProgram/Version.swift").text.firstMatch(of: /current = "(.*)"/)?.1)
    let newest = try Tree.file("CHANGELOG.md").lines.first { $0.hasPrefix("## ") }
    #expect(newest == "## \(version)" || newest?.hasPrefix("## \(version) (") == true)
    let others = try Tree.files(under: "Sources").filter { $0.text.contains("\"\(version)\"") }
    #expect(others.map(\.path) == ["Sources/LullProgram/Version.swift"])
  }

  /// lulld tells words and facts (`Explanation`), and the command has the sentences. The texts of four words
  /// and more that are left are read where no command is: the help of lulld, standard error, the words of a
  /// trap, and the reason that logind shows.
  @Test func `lulld writes no sentences`() throws {
    var found: [String: Int] = [:]
    for file in try Tree.files(under: "Sources/LullDaemon") {
      let pages = file.text.contains("\"\"\"") ? 1 : 0
      let count = file.code.reduce(pages) { $0 + texts(in: $1).count { words(in: $0) > 3 } }
      if count > 0 { found[String(file.path.dropFirst("Sources/LullDaemon/".count))] = count }
    }
    let left = [
      "Startup.swift": 1, "Core/Complaint.swift": 5, "Core/Core.swift": 1, "Notifications/Presenter.swift": 1,
    ]
    #expect(found == left)
  }

  @Test func `the texts of a line and their words are read`() {
    let line = #"say("a \(name("b")) c", "d \"e\" f g")"#
    #expect(texts(in: line[...]) == ["a  c", #"d \"e\" f g"#])
    #expect(words(in: "PATH: 3 s, 'x'") == 3)
  }

  /// The texts of a line of code, without what is put into them.
  private func texts(in line: Substring) -> [String] {
    guard line.contains("\"") else { return [] }
    let text = /"((?:[^"\\]|\\[^(]|\\\((?:[^()]|\([^()]*\))*\))*)"/
    return line.matches(of: text).map { $0.1.replacing(/\\\((?:[^()]|\([^()]*\))*\)/, with: "") }
      .map { String($0) }
  }

  private func words(in text: String) -> Int {
    text.split(separator: " ").count { $0.contains(where: \.isLetter) }
  }
}
