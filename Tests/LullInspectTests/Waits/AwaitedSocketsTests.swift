import Glibc
import LullInspect
import LullSystem
import TestSupport
import Testing

@Suite(.bounded) struct AwaitedSocketsTests {
  private func awaited(by program: WaitingProgram) throws -> AwaitedSockets {
    try Process.awaitedSockets(of: program.pid, limit: 100, until: .max)
  }

  private func input(of program: WaitingProgram) throws -> UInt64? {
    guard case .socket(let inode) = try OpenFile.kind(of: 0, in: program.pid) else { return nil }
    return inode
  }

  @Test(arguments: ["poll-several", "select-several", "recv", "epoll_wait"])
  func `a socket for which a thread waits is among them`(call: String) throws {
    let program = try WaitingProgram(call)
    let inode = try #require(try input(of: program))
    let found = try awaited(by: program)
    #expect(found.inodes.contains(inode) && found.isWhole)
  }

  @Test func `a socket that is only open is not among them`() throws {
    let program = try WaitingProgram("nanosleep", 60_000)
    let inode = try #require(try input(of: program))
    #expect(try !awaited(by: program).inodes.contains(inode))
  }

  @Test func `a poll that goes on after a freeze is known without a memory, frozen and not`() throws {
    let program = try WaitingProgram("poll-several")
    let inode = try #require(try input(of: program))
    try program.group.freeze()
    try program.freezeAgain()
    #expect(try awaited(by: program).inodes.contains(inode))
    try program.group.cgroup.thaw()
    try program.group.confirm(frozen: false)
    try eventually("the poll is not seen") { try awaited(by: program).inodes.contains(inode) }
  }

  @Test func `without time for the threads it may wait for more`() throws {
    let program = try WaitingProgram("recv")
    #expect(try !Process.awaitedSockets(of: program.pid, limit: 100, until: .min).isWhole)
  }
}
