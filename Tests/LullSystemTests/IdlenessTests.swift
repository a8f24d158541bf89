import CLinux
import Glibc
import LullSystem
import Testing

@Suite struct IdlenessTests {
  @Test(
    arguments: [
      "poll", "ppoll", "select", "pselect6", "epoll_wait", "epoll_pwait2", "nanosleep", "clock_nanosleep",
      "clock_nanosleep_until", "sigtimedwait",
    ])
  func `a thread that waits has its time-out`(call: String) throws {
    let sleeper = try WaitingProgram(call, 60_000)
    try expectWait(of: sleeper.frozenIdleness(), from: 40, to: 60)
  }

  @Test(arguments: ["futex", "futex_until", "futex_until_date"])
  func `a thread that waits at a futex has its time-out`(call: String) throws {
    let word = try FutexWord()
    try expectWait(of: WaitingProgram(call, 60_000, word: word.raw).frozenIdleness(), from: 40, to: 60)
    #expect(
      try WaitingProgram(call, -1, word: word.raw).frozenIdleness()
        == .parked(shortestWait: nil, longestWait: nil))
  }

  @Test(
    arguments: [
      "poll", "ppoll", "select", "pselect6", "epoll_wait", "epoll_pwait2", "sigtimedwait", "wait4", "accept",
      "recv",
    ])
  func `a thread that waits without limit has none`(call: String) throws {
    #expect(try WaitingProgram(call).frozenIdleness() == .parked(shortestWait: nil, longestWait: nil))
  }

  @Test func `a read with a time-out of the socket's waits too`() throws {
    #expect(
      try WaitingProgram("recv", 60_000).frozenIdleness() == .parked(shortestWait: nil, longestWait: nil))
  }

  @Test func `every thread counts`() throws {
    #expect(
      try WaitingProgram("threads", 4, bytes: 4).frozenIdleness()
        == .parked(shortestWait: nil, longestWait: nil))
  }

  @Test func `a main thread that has ended does not count, nor does a process that has`() throws {
    let sleeper = try WaitingProgram("leader-ends")
    try eventually("the main thread did not end") {
      try String(decoding: Files.read("/proc/\(sleeper.pid)/stat", limit: 4096), as: UTF8.self).contains(
        ") Z ")
    }
    #expect(try sleeper.frozenIdleness() == .parked(shortestWait: nil, longestWait: nil))
    try Process.sendSignal(sleeper.program.pidfd, Signal.kill)
    _ = try ready(sleeper.program.pidfd, .readable)
    #expect(try Process.idleness(of: sleeper.pid) == .parked(shortestWait: nil, longestWait: nil))
    try sleeper.program.end()
    #expect(try Process.idleness(of: sleeper.pid) == .parked(shortestWait: nil, longestWait: nil))
  }

  @Test func `a program that runs is busy`() throws {
    let sleeper = try WaitingProgram("spin", sleeps: false)
    #expect(try sleeper.frozenIdleness() == .busy(thread: sleeper.pid))
  }

  @Test func `a waiter whose futex word was changed has been woken`() throws {
    let word = try FutexWord()
    let sleeper = try WaitingProgram("futex", word: word.raw)
    #expect(try sleeper.frozenIdleness() == .parked(shortestWait: nil, longestWait: nil))
    try word.set(1)
    #expect(try Process.idleness(of: sleeper.pid) == .busy(thread: sleeper.pid))
    try word.set(0)
    #expect(try Process.idleness(of: sleeper.pid) == .parked(shortestWait: nil, longestWait: nil))
  }

  @Test func `a reader is parked, also when bytes come while it is frozen, and reads them after the thaw`()
    throws
  {
    let cat = try PipedProgram(["cat"])
    try cat.program.awaitSleep()
    try cat.group.freeze()
    #expect(try Process.idleness(of: cat.program.pid) == .parked(shortestWait: nil, longestWait: nil))
    try cat.write([1, 2, 3])
    #expect(try Process.idleness(of: cat.program.pid) == .parked(shortestWait: nil, longestWait: nil))
    try cat.group.confirm(frozen: true)
    try cat.group.cgroup.thaw()
    #expect(try cat.read() == 3)
  }

  @Test func `a reader that somebody else traces is busy`() throws {
    let sleeper = try WaitingProgram("traced")
    try sleeper.group.freeze()
    let child = try #require(try sleeper.group.cgroup.processes().first { $0 != sleeper.pid })
    #expect(try Process.idleness(of: child) == .busy(thread: child))
  }

  @Test func `a loop of short sleeps has a short wait, a long sleep a long one`() throws {
    let long = try TestCgroup()
    let sleep = try Program(["sleep", "1000"], in: long)
    try sleep.awaitSleep()
    try long.freeze()
    try expectWait(of: Process.idleness(of: sleep.pid), from: 900, to: 1000)
    let group = try TestCgroup()
    let loop = try Program(["sh", "-c", "while :; do sleep 0.05; done"], in: group)
    try eventually("no short wait was seen") {
      try group.freeze()
      defer { try? group.cgroup.thaw() }
      let waits = try group.cgroup.processes().compactMap { pid in
        if case .parked(let wait, _) = try Process.idleness(of: pid) { wait } else { nil }
      }
      return waits.contains { $0 <= 50_000_000 }
    }
    _ = loop
  }

  @Test func `without the rights it is an error`() async {
    await #expect(processExitsWith: .success) {
      let parent = getppid()
      try #require(setuid(65534) == 0, "this test needs to be root")
      let error = #expect(throws: SystemError.self) { try Process.idleness(of: parent) }
      #expect(error?.isNotPermitted == true)
    }
  }
}

@Suite struct IdlenessLookTests {
  /// What a reader has taken is in nobody's queue: in its input it is missing, in its output it is not yet.
  @Test func `a reader that has bytes in its hands is never parked`() throws {
    let cat = try PipedProgram(["cat"])
    let pid = cat.program.pid
    var (taken, parked, busy, held) = (0, 0, 0, 0)
    let rounds = 3000
    for round in 1...rounds {
      try cat.write([UInt8(truncatingIfNeeded: round)])
      let end = Clock.monotonic() + Int64(round % 60) * 1000
      while Clock.monotonic() < end {}
      try cat.group.freeze()
      let idleness = try Process.idleness(of: pid)
      try cat.group.confirm(frozen: true)
      let inHand = try round - Socket.unreadBytes(cat.input.raw) - taken - Socket.unreadBytes(cat.output.raw)
      held += inHand
      switch idleness {
      case .parked(let wait, _):
        parked += 1
        try #require(inHand == 0 && wait == nil, "parked with a byte in its hands")
      case .busy(let thread):
        busy += 1
        #expect(thread == pid)
      }
      try cat.group.cgroup.thaw()
      while taken < round { taken += try cat.read() }
    }
    #expect(parked > 0 && busy > 0 && held > 0, "\(parked) parked, \(busy) busy, \(held) held")
  }

  @Test func `the status of a child that is killed while it is looked at is not lost`() throws {
    for _ in 0..<100 {
      let cat = try PipedProgram(["cat"])
      try cat.program.awaitSleep()
      try cat.group.freeze()
      try Process.sendSignal(cat.program.pidfd, Signal.kill)
      _ = try Process.idleness(of: cat.program.pid)
      #expect(try cat.program.end() == .signaled(Signal.kill))
    }
  }

  @Test func `a second look right behind the first finds the same`() throws {
    let cat = try PipedProgram(["cat"])
    try cat.program.awaitSleep()
    try cat.group.freeze()
    var parked = 0
    for _ in 0..<300
    where try Process.idleness(of: cat.program.pid) == .parked(shortestWait: nil, longestWait: nil) {
      parked += 1
    }
    // On a loaded machine the thread may not get a processor in time.
    #expect(parked > 270)
    try cat.group.confirm(frozen: true)
  }

  @Test func `a reader goes on undisturbed after many looks`() throws {
    let sleeper = try WaitingProgram("recv")
    for _ in 0..<50 {
      #expect(try sleeper.frozenIdleness() == .parked(shortestWait: nil, longestWait: nil))
      try sleeper.group.confirm(frozen: true)
      try sleeper.group.cgroup.thaw()
      try sleeper.program.awaitSleep()
    }
    #expect(try UnixSocket.send([1], to: sleeper.channel.raw) == .sent(1))
    #expect(try sleeper.program.end() == .exited(0))
  }
}

/// Expects a parked program whose shortest wait is between so many seconds.
private func expectWait(of idleness: Idleness, from least: Int64, to most: Int64) throws {
  guard case .parked(let found, _) = idleness else {
    Issue.record("\(idleness)")
    return
  }
  let wait = try #require(found)
  #expect(wait > least * 1_000_000_000 && wait <= most * 1_000_000_000)
}

/// The four bytes of a futex in memory that a program shares with the test.
private struct FutexWord: ~Copyable {
  private let file: Descriptor

  init() throws {
    file = Descriptor(owning: unsafe clinux_memfd("futex"))
    try #require(ftruncate(file.raw, 4096) == 0)
  }

  var raw: Int32 { file.raw }

  func set(_ value: UInt32) throws {
    var value = value
    try #require(unsafe pwrite(file.raw, &value, 4, 0) == 4)
  }
}
