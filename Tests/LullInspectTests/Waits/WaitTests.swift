import CLinux
import Glibc
import LullInspect
import LullModel
import LullSystem
import TestSupport
import Testing

@Suite(.bounded) struct WaitTests {
  @Test(arguments: ["epoll_wait", "epoll_pwait2"])
  func `a thread at an epoll set is told with the set's number`(call: String) throws {
    let sleeper = try WaitingProgram(call, 60_000)
    let state = try sleeper.frozenWait()
    guard case .epoll(let number) = state.wait else {
      Issue.record("\(state)")
      return
    }
    #expect(number > 2 && !state.needsInspection)
    try expectLimit(state)
  }

  @Test(arguments: ["poll", "ppoll", "select", "pselect6"])
  func `a thread at one descriptor is told with it, and with what is left of its time-out`(call: String)
    throws
  {
    let state = try WaitingProgram(call, 60_000).frozenWait()
    #expect(state.wait == .descriptors([.init(number: 0, interest: .readable)]))
    #expect(!state.needsInspection)
    try expectLimit(state)
  }

  @Test func `the entries of poll are told with what they ask for, negative ones left out`() throws {
    #expect(
      try WaitingProgram("poll-several").frozenWait().wait
        == .descriptors([
          .init(number: 20, interest: .writable),
          .init(number: 0, interest: [.readable, .priority, .readHangUp]), .init(number: 1, interest: []),
        ]))
  }

  @Test func `the members of all three sets of select are told`() throws {
    #expect(
      try WaitingProgram("select-several").frozenWait().wait
        == .descriptors([
          .init(number: 0, interest: [.readable, .priority]), .init(number: 20, interest: .writable),
        ]))
  }

  @Test(arguments: [
    "poll-nothing", "select-nothing", "nanosleep", "clock_nanosleep", "clock_nanosleep_until",
  ])
  func `a thread that waits for nothing else waits for its time-out`(call: String) throws {
    let state = try WaitingProgram(call, 60_000).frozenWait()
    #expect(state.wait == .time)
    try expectLimit(state)
  }

  @Test(arguments: [
    ("accept", Interest.readable), ("recv", .readable), ("write", .writable), ("connect", .writable),
  ])
  func `a call that takes tells its descriptor and needs a look, which finds nothing`(
    call: String, interest: Interest
  ) throws {
    let sleeper = try WaitingProgram(call)
    let state = try sleeper.frozenWait()
    guard case .descriptors(let waited) = state.wait else {
      Issue.record("\(state)")
      return
    }
    #expect(waited.map(\.interest) == [interest])
    #expect(state.needsInspection)
    try sleeper.expectNothingInHand(state.thread)
  }

  @Test func `a write that moved a part has a result in its hands`() throws {
    let sleeper = try WaitingProgram("write-part")
    let state = try sleeper.frozenWait()
    #expect(state.wait == .descriptors([.init(number: 20, interest: .writable)]))
    #expect(try Tracer().inspect([state.thread], within: patience) == state.thread)
  }

  @Test(arguments: [("wait4", ThreadWait.child, true), ("sigtimedwait", .signal, true)])
  func `waits for a child or a signal are told`(call: String, wait: ThreadWait, needsInspection: Bool) throws
  {
    let state = try WaitingProgram(call).frozenWait()
    #expect(state.wait == wait && state.needsInspection == needsInspection)
  }

  @Test(arguments: [("sigsuspend", 1, 1), ("threads", 4, 4)])
  func `every thread at a signal is told and needs no look`(call: String, threads: Int, bytes: Int) throws {
    let sleeper = try WaitingProgram(call, threads, bytes: bytes)
    let states = try sleeper.frozenWaits()
    #expect(states.map(\.wait) == Array(repeating: .signal, count: threads))
    #expect(states[0].thread == sleeper.pid && states[0].timeOut == nil && !states[0].needsInspection)
  }

  @Test(arguments: ["msgrcv", "semop", "semtimedop"])
  func `queues and semaphores of System V cannot be watched`(call: String) throws {
    #expect(try WaitingProgram(call).frozenWait().wait == .unwatchable(.systemV))
  }

  @Test(arguments: ["flock", "setlkw", "ofd-setlkw"])
  func `file locks cannot be watched`(call: String) throws {
    let state = try WaitingProgram(call).frozenWait()
    #expect(state.wait == .unwatchable(.fileLock) && !state.needsInspection)
  }

  @Test func `a ring is told with its number`() throws {
    let sleeper = try WaitingProgram("ring")
    #expect(try sleeper.frozenWait().wait == .ring(20))
    #expect(try !Process.ringHoldsFiles(of: sleeper.pid, number: 20))
    let other = try WaitingProgram("ring-files")
    #expect(try Process.ringHoldsFiles(of: other.pid, number: 20))
  }

  @Test func `a program that runs works`() throws {
    let sleeper = try WaitingProgram("spin", sleeps: false)
    // The freeze can come before the program has left the write that tells its readiness.
    try eventually("it was never seen at work") {
      let states = try sleeper.frozenWaits()
      try sleeper.group.cgroup.thaw()
      return states == [ThreadState(thread: sleeper.pid, wait: .works)]
    }
  }

  @Test func `a process that has ended has no threads, and a thread that has ended is left out`() throws {
    let sleeper = try WaitingProgram("leader-ends")
    try eventually("the main thread did not end") {
      try String(decoding: Files.read("/proc/\(sleeper.pid)/stat", limit: 4096), as: UTF8.self).contains(
        ") Z ")
    }
    let states = try sleeper.frozenWaits()
    #expect(states.count == 1 && states.first?.thread != sleeper.pid)
    try Process.sendSignal(sleeper.program.pidfd, Signal.kill)
    _ = try ready(sleeper.program.pidfd, .readable)
    #expect(try sleeper.waits() == [])
    try sleeper.program.end()
    #expect(try sleeper.waits() == [])
  }
}

/// Expects a time-out of 60 seconds of which at most a part has gone by.
func expectLimit(_ state: ThreadState) throws {
  let timeOut = try #require(state.timeOut)
  #expect(timeOut > 40_000_000_000 && timeOut <= 60_000_000_000)
}
