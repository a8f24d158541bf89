import LullEngine
import LullSystem
import LullWire
import TestSupport
import Testing

@testable import LullDaemon

@Suite(.bounded) struct FreezingRemarkTests {
  private let app = AppID(slot: 0, generation: 0)

  @Test func `a thaw that failed is told until one succeeds`() {
    let remarks = Remarks()
    remarks.noteThaw(of: app, failure: SystemError(code: 19, call: "write"))
    #expect(remarks.items(of: app).map(\.what) == ["not-thawed"])
    remarks.noteThaw(of: app, failure: nil)
    #expect(remarks.items(of: app).isEmpty)
  }

  @Test func `an offload rule that could not be used is told until one is used again`() {
    let remarks = Remarks()
    remarks.noteAnswer(.unanswered, on: "tcp 127.0.0.1:10000", of: app)
    remarks.noteAnswer(.notCovered, on: "tcp 127.0.0.1:10000", of: app)
    #expect(remarks.items(of: app).map(\.detail) == ["tcp 127.0.0.1:10000"])
    remarks.noteAnswer(.answered, on: "tcp 127.0.0.1:10000", of: app)
    #expect(remarks.items(of: app).isEmpty)
  }

  @Test func `a program that a cgroup holds has no remark of its suspender`() throws {
    let remarks = Remarks()
    let tree = ProcessTree(
      leader: Identity.pid(), pidfd: DescriptorBox(try Process.pidfdOpen(Identity.pid())), orphans: .outside,
      table: noProcesses())
    remarks.noteSuspender(.signal(tree, CgroupLack(cause: .noHierarchy)), of: app)
    #expect(remarks.items(of: app).map(\.cause) == ["no-hierarchy"])
    remarks.noteExempt(app)
    #expect(remarks.items(of: app).count == 2)
    remarks.forget(app)
    #expect(remarks.items(of: app).isEmpty)
  }
}
