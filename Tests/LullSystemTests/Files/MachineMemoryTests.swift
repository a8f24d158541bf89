import TestSupport
import Testing

@testable import LullSystem

@Suite(.bounded) struct MachineMemoryTests {
  @Test func `what is available stands in meminfo`() throws {
    let text = "MemTotal:       24684032 kB\nMemFree:  9 kB\nMemAvailable:   16384256 kB\nSwapTotal: 1 kB\n"
    let memory = try #require(MachineMemory(InfoText(Array(text.utf8))))
    #expect((memory.total, memory.available) == (24_684_032 << 10, 16_384_256 << 10))
  }

  @Test(arguments: ["", "MemTotal: 5 kB\n", "MemTotal: 0 kB\nMemAvailable: 0 kB\n"])
  func `a kernel that does not tell says nothing`(text: String) {
    #expect(MachineMemory(InfoText(Array(text.utf8))) == nil)
  }

  @Test func `this machine tells`() throws {
    let memory = try MachineMemory.current()
    #expect(memory.available > 0 && memory.available <= memory.total)
    #expect(throws: SystemError.self) { try MachineMemory.current(root: "/nowhere") }
  }
}
