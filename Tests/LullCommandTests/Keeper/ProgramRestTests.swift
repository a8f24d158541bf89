import LullSystem
import TestSupport
import Testing

@testable import lull_command

@Suite(.bounded) struct ProgramRestTests {
  private func start(_ script: String, in group: TestCgroup) throws -> ConnectedChild {
    let child = try ConnectedChild(["sh", "-c", script])
    try group.cgroup.move(child.pid)
    return child
  }

  @Test func `a program that waits comes to rest, where a cgroup can be made`() throws {
    let group = try TestCgroup()
    let child = try start("read line; sleep 1000", in: group)
    try child.output.send("go\n")
    var rest = try #require(ProgramRest(of: child.pid))
    let isAtOnce = rest.isReached()
    #expect(!isAtOnce)
    try eventually("it does not rest") { rest.isReached() }
  }

  @Test func `a program with a child that works does not rest, where a cgroup can be made`() throws {
    let group = try TestCgroup()
    let child = try start("read line; sh -c 'echo; while :; do :; done'; exit", in: group)
    try child.output.send("go\n")
    _ = try child.output.line()
    var rest = try #require(ProgramRest(of: child.pid))
    for _ in 0..<20 {
      let isReached = rest.isReached()
      #expect(!isReached)
    }
  }
}
