import LullSystem
import TestSupport
import Testing

/// The behaviour of the kernel's freezer on which the daemon relies.
@Suite(.bounded) struct KernelFreezerTests {
  @Test func `a freeze is confirmed by reading the state again`() throws {
    let group = try TestCgroup()
    let program = try Child(["sleep", "60"], in: group)
    #expect(try group.cgroup.state() == (populated: true, frozen: false))
    try group.freeze()
    #expect(try group.cgroup.state() == (populated: true, frozen: true))
    try group.cgroup.thaw()
    try group.confirm(frozen: false)
    _ = program
  }

  @Test func `a frozen program does not run, and runs on after the thaw`() throws {
    let group = try TestCgroup()
    let (here, there) = try UnixSocket.pair()
    let program = try Child(["cat"], in: group, input: there.raw, output: there.raw)
    there.close()
    #expect(try UnixSocket.send([1], to: here.raw) == .sent(1))
    #expect(try receive(1, from: here.raw) == [1])
    try group.freeze()
    #expect(try UnixSocket.send([2], to: here.raw) == .sent(1))
    #expect(try Socket.poll(here.raw, .readable, timeoutMilliseconds: 50) == [])
    try group.cgroup.thaw()
    #expect(try receive(1, from: here.raw) == [2])
    _ = program
  }

  @Test func `a frozen process dies of SIGKILL at once`() throws {
    let group = try TestCgroup()
    let program = try Child(["sleep", "60"], in: group)
    try group.freeze()
    try Process.sendSignal(program.pidfd, Signal.kill)
    #expect(try program.end() == .signaled(Signal.kill))
  }

  @Test func `a frozen process dies of an unhandled SIGTERM at once`() throws {
    let group = try TestCgroup()
    let program = try Child(["sleep", "60"], in: group)
    try group.freeze()
    try Process.sendSignal(program.pidfd, Signal.terminate)
    #expect(try program.end() == .signaled(Signal.terminate))
  }

  @Test func `a handled SIGTERM waits for the thaw`() throws {
    let group = try TestCgroup()
    let (here, there) = try UnixSocket.pair()
    let script = "trap 'exit 7' TERM; echo ready; while :; do read -r line; done"
    let program = try Child(["sh", "-c", script], in: group, input: there.raw, output: there.raw)
    there.close()
    #expect(try receive(6, from: here.raw) == Array("ready\n".utf8))
    try group.freeze()
    try Process.sendSignal(program.pidfd, Signal.terminate)
    #expect(try Socket.poll(program.pidfd, .readable, timeoutMilliseconds: 50) == [])
    try group.cgroup.thaw()
    #expect(try program.end() == .exited(7))
  }

  @Test func `writing 0 back takes back an unfinished freeze`() throws {
    let group = try TestCgroup()
    let (here, there) = try UnixSocket.pair()
    let echo = try Child(["cat"], in: group, input: there.raw, output: there.raw)
    let others = try (0..<8).map { _ in try Child(["sleep", "60"], in: group) }
    there.close()
    var unfinished = 0
    // On a loaded machine the processes may be frozen before this one has a processor again.
    for round in 0..<20_000 where round < 200 || unfinished == 0 {
      try group.cgroup.freeze()
      if try !group.cgroup.state().frozen { unfinished += 1 }
      try group.cgroup.thaw()
      #expect(try group.cgroup.state().frozen == false)
      let byte = UInt8(truncatingIfNeeded: round)
      #expect(try UnixSocket.send([byte], to: here.raw) == .sent(1))
      #expect(try receive(1, from: here.raw) == [byte])
      #expect(try group.cgroup.state().frozen == false)
    }
    #expect(unfinished > 0, "every freeze was complete before it could be taken back")
    _ = (echo, others)
  }

  @Test func `a parent's 0 does not undo a child's own 1`() throws {
    let parent = try TestCgroup()
    let child = try TestCgroup(below: parent)
    let program = try Child(["sleep", "60"], in: child)
    try child.freeze()
    try parent.freeze()
    try parent.cgroup.thaw()
    #expect(try child.cgroup.state().frozen)
    try child.cgroup.thaw()
    try child.confirm(frozen: false)
    try parent.freeze()
    try child.confirm(frozen: true)
    _ = program
  }

  @Test func `the events file has priority readiness when the last process ends`() throws {
    let group = try TestCgroup()
    let program = try Child(["sleep", "0.02"], in: group)
    _ = try group.cgroup.state()
    try program.end()
    while try group.cgroup.state().populated {
      #expect(try ready(group.cgroup.events, .priority).contains(.priority))
    }
  }

  @Test func `a timer that expires while its program is frozen fires at the thaw`() throws {
    let group = try TestCgroup()
    let program = try Child(["sleep", "1"], in: group)
    try program.awaitSleep()
    try group.freeze()
    let timer = try Timer(.boottime)
    try timer.arm(at: Clock.boottime() + 1_100_000_000)
    _ = try ready(timer.raw, .readable)
    #expect(try readyNow(program.pidfd, .readable) == [])
    let thawed = Clock.boottime()
    try group.cgroup.thaw()
    #expect(try program.end() == .exited(0))
    #expect(Clock.boottime() - thawed < 900_000_000, "the timer stood still during the freeze")
  }
}
