import CLinux
import Glibc
import LullSystem
import Testing

@Suite struct FutexWaitTests {
  @Test(arguments: ["private-word", "own-word"])
  func `a word that only its own process sees is another thread's matter`(call: String) throws {
    let state = try WaitingProgram(call, 60_000).frozenWait()
    #expect(state.wait == .thread && !state.needsLook)
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
    #expect(states.map(\.needsLook) == [false, true])
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

  @Test func `a mapping is told shared or private by the kernel's answer and by its text`() throws {
    let shared = unsafe mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)
    defer { unsafe munmap(shared, 4096) }
    let address = UInt64(UInt(bitPattern: shared)) + 8
    var own: UInt32 = 0
    let stack = unsafe withUnsafePointer(to: &own) { UInt64(UInt(bitPattern: $0)) }
    #expect(try mappings(address) == [1, 1])
    #expect(try mappings(stack) == [0, 0])
    #expect(try mappings(16) == [-1, -1])
  }

  private func mappings(_ address: UInt64) throws -> [Int32] {
    let maps = Descriptor(owning: unsafe open("/proc/self/maps", O_RDONLY | O_CLOEXEC))
    let asked = clinux_mapping_by_query(maps.raw, address)
    // A kernel older than 6.11 does not know the question.
    let query = asked == -1 && errno == ENOTTY ? clinux_mapping_by_text(maps.raw, address) : asked
    let text = Descriptor(owning: unsafe open("/proc/self/maps", O_RDONLY | O_CLOEXEC))
    return [query, clinux_mapping_by_text(text.raw, address)]
  }
}
