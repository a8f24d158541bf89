import LullEngine
import LullSystem
import TestSupport
import Testing

@testable import LullDaemon

@Suite(.bounded) struct ObserverMemoryTests {
  private func read(_ pid: Int32, into memory: ObserverMemory, by policy: Policy) throws {
    let files = memory.threadFiles(of: pid, policy)
    var room = ShortText()
    for thread in try files.threads() { try files.read(.call, of: thread, &room) }
  }

  @Test func `of a program of many processes no more files stay open than of all programs`() throws {
    var policy = Policy()
    (policy.lookFilesOfProcess, policy.lookFiles) = (2, 5)
    let memory = ObserverMemory()
    let children = try (0..<8).map { _ in try Child(SpawnRequest(["sleep", "1000"])) }
    for _ in 0..<2 {
      for child in children { try read(child.pid, into: memory, by: policy) }
      // The last one was begun below the bound.
      #expect((5...7).contains(memory.openThreadFiles), "\(memory.openThreadFiles)")
    }
    memory.keep(only: [children[0].pid])
    #expect(memory.openThreadFiles == 2)
    memory.closeThreadFiles()
    #expect(memory.openThreadFiles == 0)
  }
}
