import Glibc
import LullSystem
import TestSupport
import Testing

import enum LullSystem.ExitStatus

@Suite(.bounded) struct ProcessTests {
  @Test(arguments: [(0, .exited(0)), (7, .exited(7)), (255, .exited(255))] as [(Int, ExitStatus)])
  func `an exit status is told once`(number: Int, status: ExitStatus) throws {
    let program = try Child(SpawnRequest(["sh", "-c", "exit \(number)"]))
    #expect(try program.end() == status)
    let error = #expect(throws: SystemError.self) { try Process.waitStatus(program.pidfd) }
    #expect(error?.isNoChild == true)
  }

  @Test func `a running child has no status, and a killed one has its signal`() throws {
    let program = try Child(SpawnRequest(["sleep", "60"]))
    #expect(try Process.waitStatus(program.pidfd) == nil)
    try Process.sendSignal(program.pidfd, Signal.terminate)
    #expect(try program.end() == .signaled(Signal.terminate))
    let error = #expect(throws: SystemError.self) { try Process.sendSignal(program.pidfd, 0) }
    #expect(error?.isNoSuchProcess == true)
    #expect((try? ProcessEntry(of: program.pid)) == nil)
  }

  @Test func `a process is described by the kernel`() throws {
    let program = try Child(SpawnRequest(["sleep", "60"]))
    #expect(try Process.parentPid(of: program.pid) == getpid())
    let started = try Process.startTime(of: program.pid)
    #expect(try started >= Process.startTime(of: getpid()))
    #expect(try Process.cgroupPath(of: program.pid) == CgroupMount.ownPath())
  }

  @Test func `a name with spaces and brackets does not confuse the reader`() throws {
    let directory = try TemporaryDirectory()
    let name = "\(directory.path)/a) (b c"
    #expect(unsafe symlink("/bin/cat", name) == 0)
    let (here, there) = try UnixSocket.pair()
    var request = SpawnRequest([name])
    request.standardInput = there.raw
    let program = try Child(request)
    #expect(try Files.read("/proc/\(program.pid)/comm", limit: 64) == Array("a) (b c\n".utf8))
    #expect(try Process.parentPid(of: program.pid) == getpid())
    _ = here
  }

  @Test func `a process that is not there is an error`() {
    let error = #expect(throws: SystemError.self) { _ = try Process.pidfdOpen(4_194_304).raw }
    #expect(error?.isNoSuchProcess == true || error?.code == EINVAL)
    #expect((try? ProcessEntry(of: 4_194_304)) == nil)
    #expect(throws: SystemError.self) { try Process.startTime(of: 4_194_304) }
  }

  @Test func `the own program's file exists`() throws {
    #expect(Files.exists(try Process.executablePath()))
  }
}
