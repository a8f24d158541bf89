import LullEngine
import LullSystem
import LullWire
import TestSupport
import Testing

@testable import LullDaemon

@Suite(.bounded) struct FreezingNoteTests {
  private let app = AppID(slot: 0, generation: 0)

  @Test func `a thaw that failed is told until one succeeds`() {
    let notes = HealthNotes()
    notes.noteThaw(of: app, failure: SystemError(code: 19, call: "write"))
    #expect(notes.items(of: app).map(\.what.text) == ["not-thawed"])
    notes.noteThaw(of: app, failure: nil)
    #expect(notes.items(of: app).isEmpty)
  }

  @Test func `an offload rule that could not be used is told until one is used again`() {
    let notes = HealthNotes()
    notes.noteAnswer(.unanswered, on: "tcp 127.0.0.1:10000", of: app)
    notes.noteAnswer(.notCovered, on: "tcp 127.0.0.1:10000", of: app)
    #expect(notes.items(of: app).map(\.detail) == ["tcp 127.0.0.1:10000"])
    notes.noteAnswer(.answered, on: "tcp 127.0.0.1:10000", of: app)
    #expect(notes.items(of: app).isEmpty)
  }

  @Test func `a program that a cgroup holds has no note of its suspender`() throws {
    let notes = HealthNotes()
    let tree = ProcessTree(
      leader: Identity.pid(), pidfd: DescriptorBox(try Process.pidfdOpen(Identity.pid())), orphans: .outside,
      table: noProcesses())
    notes.noteSuspender(.signal(tree, CgroupLack(cause: .noHierarchy)), of: app)
    #expect(notes.items(of: app).map(\.cause) == ["no-hierarchy"])
    notes.noteExempt(app)
    #expect(notes.items(of: app).count == 2)
    notes.forget(app)
    #expect(notes.items(of: app).isEmpty)
  }
}
