import LullSystem
import TestSupport
import Testing

@Suite(.bounded) struct FileWatchTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  @Test func `bytes and names are told until they are taken`() throws {
    let path = try folder.file("log")
    let watch = try FileWatch()
    try watch.add(path, .written)
    try watch.add(folder.path, .names)
    #expect(try Socket.poll(watch.raw, .readable, timeoutMilliseconds: 0).isEmpty)
    let file = try Files.openAtEnd(Array(path.utf8), mode: 0o600)
    try StandardStreams.write([1], to: file.raw)
    try Deadline().wait(watch.raw, .readable, for: "the written byte")
    try watch.drain()
    #expect(try Socket.poll(watch.raw, .readable, timeoutMilliseconds: 0).isEmpty)
    try Files.rename(path, to: path + ".1")
    try Deadline().wait(watch.raw, .readable, for: "the new name")
    #expect(throws: SystemError.self) { try watch.add(path, .written) }
  }

  @Test func `a file is written at its end, and emptied`() throws {
    let path = Array("\(folder.path)/new".utf8)
    for _ in 0..<2 {
      let file = try Files.openAtEnd(path, mode: 0o600)
      try StandardStreams.write([1, 2], to: file.raw)
    }
    let file = try Files.openAtEnd(path, mode: 0o600)
    #expect(try Files.size(file.raw) == 4)
    try Files.truncate(file.raw)
    #expect(try Files.size(file.raw) == 0)
    #expect(Files.identity("\(folder.path)/new") == (try FileIdentity.of(file.raw)))
    #expect(Files.identity("\(folder.path)/none") == nil)
  }
}
