import LullInspect
import LullModel
import LullSystem
import TestSupport
import Testing

@Suite(.bounded) struct FutexWaitTests {
  @Test(arguments: ["private-word", "own-word"])
  func `a word that only its own process sees is another thread's matter`(call: String) throws {
    let state = try WaitingProgram(call, 60_000).frozenWait()
    #expect(state.wait == .thread && !state.needsInspection)
    try expectLimit(state)
  }

  @Test func `a thread that joins another waits for a thread`() throws {
    let states = try WaitingProgram("join", bytes: 2).frozenWaits()
    #expect(states.map(\.wait) == [.thread, .signal])
  }

  @Test func `a lock that is handed over by the kernel needs a look, which finds nothing`() throws {
    let sleeper = try WaitingProgram("lock", bytes: 2)
    let states = try sleeper.frozenWaits()
    #expect(states.map(\.wait) == [.signal, .thread])
    #expect(states.map(\.needsInspection) == [false, true])
    try sleeper.expectNothingInHand(states[1].thread)
  }

  @Test(arguments: [("waitv", ThreadWait.unwatchable(.sharedFutex)), ("waitv-private", .thread)])
  func `several words are a thread's matter when all are private`(call: String, wait: ThreadWait) throws {
    #expect(try WaitingProgram(call).frozenWait().wait == wait)
  }

  @Test(arguments: ["futex", "futex_until", "futex_until_date"])
  func `a word in shared memory cannot be watched, and a changed one works`(call: String) throws {
    let word = try FutexWord()
    let sleeper = try WaitingProgram(call, 60_000, word: word.raw)
    let state = try sleeper.frozenWait()
    #expect(state.wait == .unwatchable(.sharedFutex))
    try expectLimit(state)
    try word.set(1)
    #expect(try sleeper.waits().map(\.wait) == [.works])
  }
}
