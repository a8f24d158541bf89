import TestSupport
import Testing

@testable import LullSystem

@Suite(.bounded) struct SwapSpaceTests {
  @Test func `the swap of a machine stands in meminfo`() {
    let text = "MemTotal: 100 kB\nSwapCached:   3 kB\nSwapTotal:     1048572 kB\nSwapFree:  524288 kB\n"
    let space = SwapSpace(Array(text.utf8))
    #expect((space.total, space.free) == (1_048_572 << 10, 512 << 20))
  }

  @Test(arguments: ["", "SwapTotal:", "SwapTotal: x kB\nSwapFree: -1 kB"])
  func `without such lines there is none`(text: String) {
    let space = SwapSpace(Array(text.utf8))
    #expect((space.total, space.free) == (0, 0))
  }
}
