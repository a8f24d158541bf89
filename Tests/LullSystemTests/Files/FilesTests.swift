import Glibc
import LullSystem
import TestSupport
import Testing

@Suite(.bounded) struct FilesTests {
  @Test func `a lock is held by one, and free when its holder ends`() throws {
    let directory = try TemporaryDirectory()
    let first = try box(Files.lock("\(directory.path)/lock"))
    switch try Files.lock("\(directory.path)/lock") {
    case .some: Issue.record("two hold the lock")
    case .none: break
    }
    first.close()
    try eventually("the lock did not become free") {
      switch try Files.lock("\(directory.path)/lock") {
      case .some: true
      case .none: false
      }
    }
  }

  @Test func `a file is read to its end, and not beyond the limit`() throws {
    let directory = try TemporaryDirectory()
    let text = String(repeating: "0123456789", count: 1000)
    let path = try directory.file("text", text)
    #expect(try Files.read(path, limit: 10_000) == Array(text.utf8))
    let error = #expect(throws: SystemError.self) { try Files.read(path, limit: 9_999) }
    #expect(error == SystemError(code: EFBIG, call: "read \(path)"))
  }

  @Test func `names are asked about and removed`() throws {
    let directory = try TemporaryDirectory()
    let path = try directory.file("text")
    #expect(Files.exists(path))
    try Files.unlink(path)
    #expect(!Files.exists(path))
    #expect(throws: SystemError(code: ENOENT, call: "unlink \(path)")) { try Files.unlink(path) }
  }

  @Test func `a file in memory is read whole and never changes`() throws {
    let bytes = [UInt8](repeating: 7, count: 100_000)
    let file = try Files.memoryFile(name: "command", bytes)
    #expect(try Files.readMemoryFile(file.raw, limit: 100_000) == bytes)
    #expect(try Files.readMemoryFile(file.raw, limit: 100_000) == bytes)
    #expect(unsafe pwrite(file.raw, "x", 1, 0) == -1)
    #expect(ftruncate(file.raw, 0) == -1)
    let error = #expect(throws: SystemError.self) { try Files.readMemoryFile(file.raw, limit: 99_999) }
    #expect(error?.code == EFBIG)
  }

  @Test func `a file that could block is not read as a file in memory`() throws {
    let (here, _) = try UnixSocket.pair()
    let error = #expect(throws: SystemError.self) { try Files.readMemoryFile(here.raw, limit: 10) }
    #expect(error?.code == EINVAL)
  }
}
