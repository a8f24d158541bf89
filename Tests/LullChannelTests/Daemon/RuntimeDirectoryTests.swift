import Glibc
import LullChannel
import LullSystem
import TestSupport
import Testing

@Suite(.bounded) struct RuntimeDirectoryTests {
  @Test func `a runtime directory is made for its owner only, and accepted the next time`() throws {
    let parent = try TemporaryDirectory()
    let path = "\(parent.path)/lull"
    try RuntimeDirectory.ensure(path)
    try RuntimeDirectory.ensure(path)
    var status = stat()
    #expect(unsafe lstat(path, &status) == 0)
    #expect(status.st_mode & 0o7777 == 0o700)
  }

  @Test func `a runtime directory without a parent is refused`() throws {
    let path = "\(try TemporaryDirectory().path)/missing/lull"
    #expect(throws: RuntimeDirectoryError.missingParent(path: path)) {
      try RuntimeDirectory.ensure(path)
    }
  }

  @Test func `a runtime directory that others may write in is refused`() throws {
    let parent = try TemporaryDirectory()
    let path = "\(parent.path)/lull"
    try RuntimeDirectory.ensure(path)
    #expect(unsafe chmod(path, 0o770) == 0)
    let error = #expect(throws: RuntimeDirectoryError.self) { try RuntimeDirectory.ensure(path) }
    #expect(error == .writableByOthers(path: path, mode: 0o770))
    #expect(error.map { "\($0)" } == "runtime directory \(path): writable by others (mode 770)")
  }

  @Test func `a runtime directory of another user is refused`() throws {
    try #require(geteuid() == 0, "this test needs root to give a directory away")
    let parent = try TemporaryDirectory()
    let path = "\(parent.path)/lull"
    try RuntimeDirectory.ensure(path)
    #expect(unsafe chown(path, 12345, 12345) == 0)
    let error = #expect(throws: RuntimeDirectoryError.self) { try RuntimeDirectory.ensure(path) }
    #expect(error == .wrongOwner(path: path, uid: 12345))
    #expect(error.map { "\($0)" } == "runtime directory \(path): belongs to uid 12345, not to uid 0")
  }

  @Test func `a file or a link in the place of the runtime directory is refused`() throws {
    let parent = try TemporaryDirectory()
    let file = try parent.file("file")
    #expect(throws: RuntimeDirectoryError.notADirectory(path: file)) {
      try RuntimeDirectory.ensure(file)
    }
    let link = "\(parent.path)/link"
    #expect(unsafe symlink(parent.path, link) == 0)
    #expect(throws: RuntimeDirectoryError.notADirectory(path: link)) {
      try RuntimeDirectory.ensure(link)
    }
  }

  @Test func `a path that can hold no socket is refused, and nothing is made`() throws {
    #expect(throws: RuntimeDirectoryError.relative(path: "lull")) { try RuntimeDirectory.ensure("lull") }
    #expect(!Files.exists("lull"))
    let most = "/tmp/" + String(repeating: "x", count: 94)
    try RuntimeDirectory.check(most)
    #expect(throws: RuntimeDirectoryError.tooLong(bytes: 100, most: 99)) {
      try RuntimeDirectory.ensure(most + "x")
    }
    for path in ["lull/control", most + "x/control"] {
      let error = #expect(throws: ControlSocketError.self) { _ = try ControlSocket.connect(path: path) }
      guard case .unusable = error else { Issue.record("\(path): \(error)"); continue }
    }
  }
}
