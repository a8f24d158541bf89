import LullSystem
import TestSupport
import Testing

@testable import LullDaemon

@Suite(.bounded) struct ProcessTableTests {
  private let table = noProcesses()
  private let child: Child
  private let entry: ProcessEntry

  init() throws {
    child = try Child(SpawnRequest(["sleep", "1000"]))
    entry = try ProcessEntry(of: child.pid)
  }

  @Test func `a process of Lull is no orphan of a command, until it ends`() throws {
    #expect(table.isOrphan(entry))
    table.own(child.pid)
    _ = try table.current()
    #expect(!table.isOrphan(entry))
    try child.signal(Signal.kill)
    try child.end()
    _ = try table.current()
    #expect(table.isOrphan(entry))
  }

  @Test func `the first process of a program is no orphan, as long as the program is managed`() throws {
    let pidfd = DescriptorBox(try Process.pidfdOpen(child.pid))
    let tree = ProcessTree(leader: child.pid, pidfd: pidfd, orphans: .outside, table: table)
    #expect(!table.isOrphan(entry))
    table.disown(tree.leader)
    #expect(table.isOrphan(entry))
  }
}
