import LullSystem
import TestSupport
import Testing

/// Something else in the place of a file that Lull names itself.
@Suite(.bounded) struct FilesOpeningTests {
  private let folder: TemporaryDirectory
  private let path: String

  init() throws {
    folder = try TemporaryDirectory()
    path = "\(folder.path)/file"
  }

  private static let obstacles: [([String], String)] = [
    (["mkfifo"], "a named pipe"), (["mkdir"], "a folder"), (["ln", "-s", "/nowhere/at/all"], "a link"),
  ]

  private func put(_ words: [String], at path: String) throws {
    #expect(try Child(SpawnRequest(words + [path])).end() == .exited(0))
  }

  private func expectRefusal(
    _ what: String, at place: String, _ open: () throws -> Void,
    location: SourceLocation = #_sourceLocation
  ) {
    let error = #expect(throws: SystemError.self, sourceLocation: location) { try open() }
    let text = "\(what) is in the way: take away \(place)"
    #expect(error?.description.contains(text) == true, "\(error.debugDescription)", sourceLocation: location)
  }

  @Test(arguments: obstacles)
  func `is named, and never waited for`(words: [String], what: String) throws {
    try put(words, at: path)
    expectRefusal(what, at: path) { _ = try Files.readOwn(path, limit: 10) }
    expectRefusal(what, at: path) { _ = try Files.openOwnAtEnd(path) }
    expectRefusal(what, at: path) { _ = try Files.openForAppending(path) }
    expectRefusal(what, at: path) { _ = try Files.create(path) }
    expectRefusal(what, at: path) { try Files.overwrite(path, with: [1]) }
    expectRefusal(what, at: path) { _ = try Files.lock(path) }
    let file = Appender(path: path, head: [], limit: 100)
    #expect(file.append([10], mark: 1))
    file.finish()
    expectRefusal(what, at: path) { throw try #require(file.takeProgress().failure) }
  }

  /// Anything else in the place of a draft is taken away, and the next try succeeds.
  @Test func `a folder is named in the place of a draft`() throws {
    try put(["mkdir"], at: path + ".new")
    let file = Replacer(path: path)
    try file.replace(with: [1])
    file.finish()
    expectRefusal("a folder", at: path + ".new") { throw try #require(file.takeFailure()) }
  }
}
