import TestSupport
import Testing

@testable import LullSystem

@Suite(.bounded) struct OOMScoreTests {
  @Test func `a value is raised and put back, and left alone where nothing is made of it`() throws {
    let program = try Child(SpawnRequest(["sleep", "1000"]))
    let old = try OOMScore.value(of: program.pid)
    try #require(old < 1000)
    #expect(try OOMScore.change(of: program.pid) { $0 + 1 })
    #expect(try OOMScore.value(of: program.pid) == old + 1)
    #expect(try !OOMScore.change(of: program.pid) { $0 == old ? 0 : nil })
    #expect(try OOMScore.change(of: program.pid) { $0 == old + 1 ? old : nil })
    #expect(try OOMScore.value(of: program.pid) == old)
  }

  @Test func `a process that has ended has no value`() throws {
    let program = try Child(SpawnRequest(["true"]))
    try program.end()
    let error = #expect(throws: SystemError.self) { try OOMScore.value(of: program.pid) }
    #expect(error?.isNoSuchFile == true)
  }

  @Test func `a child has the value of its parent`() throws {
    let sleeper = try WaitingProgram("wait4")
    let child = try #require(try Process.children(of: sleeper.pid).first)
    #expect(try OOMScore.value(of: child) == OOMScore.value(of: sleeper.pid))
  }

  @Test func `the share of a process is some of what it has`() throws {
    let program = try Child(SpawnRequest(["sleep", "1000"]))
    try program.awaitSleep()
    let share = try ProcessMemory.share(of: program.pid)
    #expect(share > 4096 && share < 1 << 30)
  }
}
