import LullModel
import TestSupport
import Testing

@testable import LullSystem

@Suite(.bounded) struct PageHistoryTests {
  private let process = ProcessIdentity(pid: 2, start: 1)

  @Test func `pages are found by the number of their chunk`() {
    var history = PageHistory(process)
    for number: UInt64 in [3, 3, 7, 100] { history.add(1 << (number % 5), of: number) }
    history.add(0, of: 200)
    #expect([0, 3, 5, 7, 100, 101, 200].map(history.pages(of:)) == [0, 8, 0, 4, 1, 0, 0])
  }

  @Test func `the rest of an older history follows`() {
    var (old, new) = (PageHistory(process), PageHistory(process))
    for number: UInt64 in 1...4 { old.add(number, of: number) }
    new.add(8, of: 2)
    new.append(old, from: 2)
    #expect((0...5).map(new.pages(of:)) == [0, 0, 10, 3, 4, 0])
  }

  @Test func `what a mapping is stands on its line`() throws {
    let mappings = try MemoryMapping.all(of: Identity.pid())
    #expect(mappings.count > 10)
    var own = 0
    let address = unsafe withUnsafePointer(to: &own) { UInt64(UInt(bitPattern: $0)) }
    let stack = try #require(mappings.first { $0.range.contains(address) })
    #expect(stack.mayBePagedOut && !stack.isShared)
    let lines = [
      ("7f0000000000-7f0000001000 r-xp 00000000 00:00 0    [vdso]", false),
      ("7f0000000000-7f0000001000 ---p 00000000 00:00 0 ", false),
      ("7f0000000000-7f0000001000 rw-p 00000000 00:00 0 ", true),
      ("7f0000000000-7f0000001000 rw-p 00000000 08:01 42   [v of a file", true),
      ("7f0000000000-7f0000001000 rw-s 00000000 08:01 42   /usr/a file", false),
      ("7f0000000000-7f0000001000 rw-s 00000000 00:01 42   /memfd:a ring (deleted)", true),
    ]
    for (line, may) in lines {
      let mapping = try #require(MemoryMapping(Array(line.utf8)[...]), "\(line)")
      #expect(mapping.mayBePagedOut == may, "\(line)")
      #expect(mapping.range == 0x7f00_0000_0000..<0x7f00_0000_1000)
    }
    #expect(MemoryMapping(Array("no mapping".utf8)[...]) == nil)
  }
}
