import LullSystem
import LullWire
import TestSupport
import Testing

import enum LullSystem.ExitStatus

@testable import LullDaemon

@Suite(.bounded) struct EndedProgramsTests {
  @Test func `the last 64 ends are kept, the last one first`() {
    let ended = EndedPrograms()
    for number in 0...64 { ended.exited("p\(number)", .exited(0), at: 0) }
    let names = ended.items(of: nil).map { $0[.name] }
    #expect(names.count == 64)
    #expect(names.first == "p64")
    #expect(names.last == "p1")
  }

  @Test func `an end tells its moment and how it was`() {
    let ended = EndedPrograms()
    ended.exited("a", .signaled(9), at: 1_500_000_000)
    ended.exited("b", .unknown, at: 0)
    ended.left("a", at: 2_000_000_000)
    let lines = ended.items(of: "a").map { String(decoding: (try? $0.encoded()) ?? [], as: UTF8.self) }
    #expect(
      lines == [
        "item kind=ended name=a at=2 left\n", "item kind=ended name=a at=1.5 signal=9\n",
      ])
  }
}
