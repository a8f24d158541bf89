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

@Suite(.bounded) struct SwapSpaceTests {
  @Test func `the swap of a machine stands in meminfo`() {
    let text = "MemTotal: 100 kB\nSwapCached:   3 kB\nSwapTotal:     1048572 kB\nSwapFree:  524288 kB\n"
    let space = SwapSpace(InfoText(Array(text.utf8)))
    #expect((space.total, space.free) == (1_048_572 << 10, 512 << 20))
  }

  @Test(arguments: ["", "SwapTotal:", "SwapTotal: x kB\nSwapFree: kB"])
  func `without such lines there is none`(text: String) {
    let space = SwapSpace(InfoText(Array(text.utf8)))
    #expect((space.total, space.free) == (0, 0))
  }
}
