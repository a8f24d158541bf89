import LullInspect
import LullSystem
import TestSupport
import Testing

@Suite(.bounded) struct WaitMemoryTests {
  @Test(arguments: [
    ("poll", ThreadWait.descriptors([.init(number: 0, interest: .readable)])), ("nanosleep", .time),
    ("private-word", .thread), ("own-word", .thread),
  ])
  func `a wait that goes on after a thaw is known, and what is left of its time-out shrinks`(
    call: String, wait: ThreadWait
  ) throws {
    let sleeper = try WaitingProgram(call, 60_000)
    var memory = WaitMemory()
    let first = try sleeper.frozenWait(&memory)
    try sleeper.freezeAgain()
    #expect(try sleeper.call() == "219")
    let second = try sleeper.frozenWait(&memory)
    #expect(first.wait == wait && second.wait == wait)
    #expect(try #require(second.timeOut) < #require(first.timeOut))
    try sleeper.freezeAgain()
    #expect(try #require(sleeper.frozenWait(&memory).timeOut) < #require(second.timeOut))
  }

  @Test func `without a memory it is not known, and never called a wait that it is not`() throws {
    let sleeper = try WaitingProgram("poll", 60_000)
    try sleeper.group.freeze()
    try sleeper.freezeAgain()
    #expect(try sleeper.waits() == [ThreadState(thread: sleeper.pid, wait: .unknown)])
  }

  @Test func `a wait without limit goes on without one`() throws {
    let sleeper = try WaitingProgram("poll")
    var memory = WaitMemory()
    let first = try sleeper.frozenWait(&memory)
    try sleeper.freezeAgain()
    #expect(try sleeper.frozenWait(&memory) == first)
    #expect(first.timeOut == nil)
  }

  @Test func `what is remembered of one process says nothing about another`() throws {
    let (one, other) = (try WaitingProgram("poll"), try WaitingProgram("poll"))
    var memory = WaitMemory()
    _ = try one.frozenWait(&memory)
    try other.group.freeze()
    try other.freezeAgain()
    #expect(try other.frozenWait(&memory).wait == .unknown)
  }
}

extension WaitingProgram {
  /// Thaws the program until all its threads sleep in their calls again, and freezes it.
  func freezeAgain() throws {
    try group.cgroup.thaw()
    try group.confirm(frozen: false)
    try awaitSleep()
    // A thread of a thawed cgroup can still stand in the freezer: it shows its old call until it has left the
    // freezer.
    try eventually("the call did not go on") { try call() == "219" }
    try group.freeze()
  }

  func call() throws -> String {
    let text = try Files.read("/proc/\(pid)/syscall", limit: 512)
    return String(decoding: text.prefix { $0 > UInt8(ascii: " ") }, as: UTF8.self)
  }
}
