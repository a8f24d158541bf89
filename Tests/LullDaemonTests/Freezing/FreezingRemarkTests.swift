import LullEngine
import LullSystem
import TestSupport
import Testing

@testable import LullDaemon

@Suite(.bounded) struct FreezingRemarkTests {
  private let app = AppID(slot: 0, generation: 0)

  @Test func `a thaw that failed is told until one succeeds`() {
    let remarks = Remarks()
    remarks.noteThaw(of: app, failure: SystemError(code: 19, call: "write"))
    #expect(remarks.sentences(of: app).first?.hasPrefix("cannot be thawed: ") == true)
    remarks.noteThaw(of: app, failure: nil)
    #expect(remarks.sentences(of: app).isEmpty)
  }

  @Test func `an offload rule that could not be used is told until one is used again`() {
    let remarks = Remarks()
    remarks.noteAnswer(.unanswered, on: "tcp 127.0.0.1:10000", of: app)
    remarks.noteAnswer(.notCovered, on: "tcp 127.0.0.1:10000", of: app)
    #expect(remarks.sentences(of: app).first?.hasPrefix("tcp 127.0.0.1:10000: ") == true)
    remarks.noteAnswer(.answered, on: "tcp 127.0.0.1:10000", of: app)
    #expect(remarks.sentences(of: app).isEmpty)
  }

  @Test func `a program that a cgroup holds has no remark of its suspender`() throws {
    let remarks = Remarks()
    let tree = ProcessTree(
      leader: Identity.pid(), pidfd: DescriptorBox(try Process.pidfdOpen(Identity.pid())), orphans: .outside,
      table: noProcesses())
    remarks.noteSuspender(.signal(tree, why: "no cgroup"), of: app)
    #expect(remarks.sentences(of: app) == ["suspended by SIGSTOP: no cgroup"])
    remarks.noteExempt(app)
    #expect(remarks.sentences(of: app).count == 2)
    remarks.forget(app)
    #expect(remarks.sentences(of: app).isEmpty)
  }
}
