import Glibc
import LullInspect
import LullSystem
import TestSupport
import Testing

@Suite(.bounded) struct ActivityTests {
  private func activity(of pid: Int32) throws -> ProcessActivity {
    try Process.activity(of: pid, until: .max)
  }

  @Test(arguments: [
    ("write", "write"), ("semtimedop", "semtimedop"),
    ("waitall", "recv with MSG_WAITALL"),
    ("recvmmsg", "recvmmsg"), ("splice", "splice"),
  ])
  func `a call that a freeze would cut short is told by its name`(call: String, name: String) throws {
    let program = try WaitingProgram(call)
    #expect(try activity(of: program.pid) == .moves(thread: program.pid, call: name))
  }

  @Test(arguments: [
    "recv", "recvmmsg-one", "accept", "connect", "poll-several", "epoll_wait", "msgrcv", "flock", "setlkw",
    "sigsuspend",
    "join",
  ])
  func `a call that goes on after a freeze waits`(call: String) throws {
    #expect(try activity(of: try WaitingProgram(call).pid) == .waits)
  }

  @Test func `the parent in vfork is told, which no SIGSTOP reaches`() throws {
    let program = try WaitingProgram("vfork", sleeps: false)
    #expect(try activity(of: program.pid) == .moves(thread: program.pid, call: "vfork"))
    let child = try #require(try program.group.cgroup.processes().first { $0 != program.pid })
    try eventually("the child does not wait") { try activity(of: child) == .waits }
  }

  @Test func `a program that runs works`() throws {
    let program = try WaitingProgram("spin", sleeps: false)
    try eventually("it was never seen at work") {
      try activity(of: program.pid) == .works(thread: program.pid)
    }
  }

  @Test func `the last of many threads is seen too, in several steps`() throws {
    let program = try WaitingProgram("last-writes", 40, bytes: 41)
    let look = try ActivityLook(at: ThreadFiles(of: program.pid))
    var steps = 1
    while try !look.advance(until: 0) { steps += 1 }
    guard case .moves(let thread, "write") = look.found else { return #expect(Bool(false), "not seen") }
    #expect(thread != program.pid)
    #expect(steps == 3)
  }

  @Test func `a process that has ended waits`() throws {
    let child = try Child(SpawnRequest(["true"]))
    #expect(try child.end() == .exited(0))
    #expect(try activity(of: child.pid) == .waits)
  }
}
