import TestSupport
import Testing

@testable import LullInspect

@Suite(.bounded) struct FileLocksTests {
  private static let locks = """
    1: FLOCK  ADVISORY  WRITE 19706 fe:00:111 0 EOF
    1: -> FLOCK  ADVISORY  WRITE 19747 fe:00:111 0 EOF
    2: POSIX  ADVISORY  WRITE 20 fe:00:222 0 EOF
    3: OFDLCK ADVISORY  WRITE -1 fe:00:333 0 EOF
    3: -> OFDLCK ADVISORY  WRITE -1 fe:00:333 0 EOF

    """

  private func info(_ file: String) -> [UInt8] {
    Array("pos:\t0\nflags:\t02100001\nlock:\t1: FLOCK  ADVISORY  WRITE 19706 \(file) 0 EOF\n".utf8)
  }

  @Test func `only a lock for which somebody waits counts`() {
    let awaited = FileLocks(Array(Self.locks.utf8))
    #expect(awaited.holdsOne(info("fe:00:111")))
    #expect(!awaited.holdsOne(info("fe:00:222")))
    #expect(awaited.holdsOne(info("fe:00:333")))
  }

  @Test func `a program's own waiters do not count`() {
    let awaited = FileLocks(Array(Self.locks.utf8)).without(waiters: [19747])
    #expect(!awaited.holdsOne(info("fe:00:111")))
    #expect(awaited.holdsOne(info("fe:00:333")))
  }

  @Test(arguments: ["", "1: FLOCK", "1: ->", "\n\n", "1: -> FLOCK ADVISORY WRITE"])
  func `a text without waiters says that nobody waits`(text: String) {
    #expect(FileLocks(Array(text.utf8)).isEmpty)
  }
}
