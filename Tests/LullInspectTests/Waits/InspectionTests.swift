import Glibc
import LullInspect
import LullSystem
import TestSupport
import Testing

@Suite(.bounded) struct InspectionTests {
  @Test func `a reader has nothing, also when bytes come while it is frozen, and reads them after the thaw`()
    throws
  {
    let cat = try PipedProgram(["cat"])
    try cat.program.awaitSleep()
    try cat.group.freeze()
    try cat.expectNothingInHand()
    try cat.write([1, 2, 3])
    try cat.expectNothingInHand()
    try cat.group.confirm(frozen: true)
    try cat.group.cgroup.thaw()
    #expect(try cat.read() == 3)
  }

  @Test func `a reader that somebody else traces cannot be looked at`() throws {
    let sleeper = try WaitingProgram("traced")
    try sleeper.group.freeze()
    let child = try #require(try sleeper.group.cgroup.processes().first { $0 != sleeper.pid })
    #expect(try Tracer().inspect([child], within: patience) == child)
  }

  @Test func `no threads and threads that have ended have nothing`() throws {
    let program = try Child(SpawnRequest(["true"]))
    try program.end()
    #expect(try Tracer().inspect([], within: patience) == nil)
    #expect(try Tracer().inspect([program.pid], within: patience) == nil)
  }

  /// Bytes that a reader has taken are in nobody's queue: they have left its input and are not in its output
  /// yet.
  @Test func `a reader that has bytes in its hands is always found`() throws {
    let cat = try PipedProgram(["cat"])
    var (taken, idle, busy, held) = (0, 0, 0, 0)
    let rounds = 3000
    let tracer = Tracer()
    for round in 1...rounds {
      try cat.write([UInt8(truncatingIfNeeded: round)])
      let end = Clock.monotonic() + Int64(round % 60) * 1000
      while Clock.monotonic() < end {}
      try cat.group.freeze()
      let waits = try cat.isWaiting(tracer)
      try cat.group.confirm(frozen: true)
      let inHand = try round - Socket.unreadBytes(cat.input.raw) - taken - Socket.unreadBytes(cat.output.raw)
      held += inHand
      idle += waits ? 1 : 0
      busy += waits ? 0 : 1
      try #require(inHand == 0 || !waits, "it seemed to wait with a byte in its hands")
      try cat.group.cgroup.thaw()
      while taken < round { taken += try cat.read() }
    }
    #expect(idle > 0 && busy > 0 && held > 0, "\(idle) idle, \(busy) busy, \(held) held")
  }

  @Test func `the status of a child that is killed while it is looked at is not lost`() throws {
    let tracer = Tracer()
    for _ in 0..<100 {
      let cat = try PipedProgram(["cat"])
      try cat.program.awaitSleep()
      try cat.group.freeze()
      try Process.sendSignal(cat.program.pidfd, Signal.kill)
      _ = try tracer.inspect([cat.program.pid], within: patience)
      #expect(try cat.program.end() == .signaled(Signal.kill))
    }
  }

  @Test func `a second look right behind the first finds the same`() throws {
    let cat = try PipedProgram(["cat"])
    try cat.program.awaitSleep()
    try cat.group.freeze()
    let tracer = Tracer()
    for _ in 0..<300 { try #require(try cat.isWaiting(tracer)) }
    try cat.group.confirm(frozen: true)
  }

  @Test func `a reader goes on undisturbed after many inspections`() throws {
    let sleeper = try WaitingProgram("recv")
    for _ in 0..<50 {
      #expect(try sleeper.frozenWait().needsInspection)
      try sleeper.expectNothingInHand(sleeper.pid)
      try sleeper.group.confirm(frozen: true)
      try sleeper.group.cgroup.thaw()
      try sleeper.program.awaitSleep()
    }
    #expect(try UnixSocket.send([1], to: sleeper.channel.raw) == .sent(1))
    #expect(try sleeper.program.end() == .exited(0))
  }
}

extension PipedProgram {
  /// The only thread waits in its call and has taken nothing.
  fileprivate func isWaiting(_ tracer: Tracer = Tracer()) throws -> Bool {
    var memory = WaitMemory()
    let files = ThreadFiles(of: program.pid, patience: patience)
    let states = try Process.waits(in: files, memory: &memory)
    try #require(states.map(\.thread) == [program.pid])
    guard states[0].wait != .works else { return false }
    return try !states[0].needsInspection || tracer.inspect([program.pid], within: patience) == nil
  }

  fileprivate func expectNothingInHand() throws {
    #expect(try isWaiting(), "it has something in its hands")
  }
}
