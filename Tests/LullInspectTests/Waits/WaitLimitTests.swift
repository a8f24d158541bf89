import Glibc
import LullInspect
import LullModel
import LullSystem
import TestSupport
import Testing

@Suite(.bounded) struct WaitLimitTests {
  @Test(arguments: ["poll", "ppoll", "select", "pselect6", "epoll_wait", "epoll_pwait2", "sigtimedwait"])
  func `a time-out is told as what is left of it, and none where there is none`(call: String) throws {
    try expectLimit(WaitingProgram(call, 60_000).frozenWait())
    #expect(try WaitingProgram(call).frozenWait().timeOut == nil)
  }

  @Test(arguments: ["futex", "futex_until", "futex_until_date"])
  func `a word that is waited for without limit has none`(call: String) throws {
    let word = try FutexWord()
    let state = try WaitingProgram(call, word: word.raw).frozenWait()
    #expect(state.wait == .unwatchable(.sharedFutex) && state.timeOut == nil)
  }

  @Test(arguments: ["wait4", "accept", "recv"])
  func `a call without a time-out has none`(call: String) throws {
    #expect(try WaitingProgram(call).frozenWait().timeOut == nil)
  }

  @Test func `the time-out of a socket is not told`() throws {
    let state = try WaitingProgram("recv", 60_000).frozenWait()
    #expect(state.wait == .descriptors([.init(number: 0, interest: .readable)]) && state.timeOut == nil)
  }

  @Test(
    arguments: [
      ("select", .standsStill), ("pselect6", .standsStill), ("ppoll", .standsStill), ("poll", .goesOn),
      ("epoll_wait", .beginsAnew), ("nanosleep", .goesOn),
    ] as [(String, TimeOutCourse)])
  func `the call tells what a freeze does to its time-out`(call: String, course: TimeOutCourse) throws {
    #expect(try WaitingProgram(call, 60_000).frozenWait().course == course)
  }

  @Test func `a loop of short sleeps has a short limit, a long sleep a long one`() throws {
    let long = try TestCgroup()
    let sleep = try Child(["sleep", "1000"], in: long)
    try sleep.awaitSleep()
    try long.freeze()
    let state = try #require(Self.waits(of: sleep.pid).first)
    let left = try #require(state.timeOut)
    #expect(state.wait == .time && left > 900_000_000_000 && left <= 1_000_000_000_000)
    let group = try TestCgroup()
    let loop = try Child(["sh", "-c", "while :; do sleep 0.05; done"], in: group)
    try eventually("no short wait was seen") {
      try group.freeze()
      defer { try? group.cgroup.thaw() }
      let states = try group.cgroup.processes().flatMap(Self.waits(of:))
      return states.contains { $0.wait == .time && ($0.timeOut ?? .max) <= 50_000_000 }
    }
    _ = loop
  }

  @Test func `without the rights it is an error`() async {
    await #expect(processExitsWith: .success) {
      let parent = getppid()
      try #require(setuid(65534) == 0, "this test needs to be root")
      let error = #expect(throws: SystemError.self) { try WaitLimitTests.waits(of: parent) }
      #expect(error?.isNotPermitted == true)
    }
  }

  private static func waits(of pid: Int32) throws -> [ThreadState] {
    var memory = WaitMemory()
    return try Process.waits(in: ThreadFiles(of: pid), memory: &memory)
  }
}
