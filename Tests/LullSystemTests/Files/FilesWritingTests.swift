import Glibc
import LullSystem
import TestSupport
import Testing

@Suite(.bounded) struct FilesWritingTests {
  private let folder = "\(Identity.environment("TMPDIR") ?? "/tmp")/lull-files-\(getpid())"

  @Test func `a file is replaced as a whole, and the folders above are made`() throws {
    let path = folder + "/one/two/file"
    try Files.makeDirectories(folder + "/one/two")
    try Files.makeDirectories(folder + "/one/two")
    try Files.replace(path, with: [1, 2, 3])
    try Files.replace(path, with: [4])
    #expect(try Files.read(path, limit: 10) == [4])
    #expect(!Files.exists(path + ".new"))
    #expect(throws: SystemError.self) { try Files.replace(path + "/below", with: []) }
    #expect(throws: SystemError.self) { try Files.makeDirectories(path + "/below") }
    try Files.unlink(path)
  }

  @Test func `two that make the same folders at once both succeed`() async throws {
    let top = folder + "/shared"
    for round in 0..<200 {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<4 { group.addTask { try Files.makeDirectories("\(top)/\(round)/a/b/c/d") } }
        try await group.waitForAll()
      }
    }
  }

  @Test func `only regular files are opened, and nothing is waited for`() throws {
    try Files.makeDirectories(folder)
    try Files.replace(folder + "/file", with: [7])
    let pipe = folder + "/pipe"
    _ = unsafe mkfifo(pipe, 0o600)
    defer { try? Files.unlink(pipe) }
    let file = try #require(try Files.openRegular(Array((folder + "/file").utf8)))
    Files.readAhead(file.raw, count: 1 << 20)
    #expect(try Files.openRegular(Array(pipe.utf8)) == nil)
    #expect(try Files.openRegular(Array("/dev/zero".utf8)) == nil)
    #expect(try Files.openRegular(Array(folder.utf8)) == nil)
    #expect(throws: SystemError.self) { try Files.openRegular(Array((folder + "/none").utf8)) }
  }

  @Test func `an executable is one's own only in a folder that nobody else can write`() throws {
    let place = folder + "/own"
    try Files.makeDirectories(place)
    try Files.replace(place + "/run", with: [])
    #expect(unsafe chmod(place + "/run", 0o700) == 0)
    #expect(try Files.isOwnExecutable("run", in: place))
    #expect(unsafe chmod(place, 0o777) == 0)
    #expect(try !Files.isOwnExecutable("run", in: place))
    #expect(unsafe chmod(place, 0o700) == 0)
    let link = folder + "/link"
    _ = unsafe symlink(place, link)
    defer { try? Files.unlink(link) }
    #expect(try !Files.isOwnExecutable("run", in: link))
    #expect(throws: SystemError.self) { try Files.isOwnExecutable("none", in: place) }
  }

  @Test func `a relative path begins at the working directory`() throws {
    #expect(try Files.absolutePath([0x2F, 0xFF]) == [0x2F, 0xFF])
    let here = try Files.absolutePath(Array("x y".utf8))
    #expect(here.starts(with: Array("/".utf8)) && here.suffix(4) == Array("/x y".utf8)[...])
  }
}
