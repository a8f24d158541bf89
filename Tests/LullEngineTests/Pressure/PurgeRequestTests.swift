import LullEngine
import TestSupport
import Testing

@Suite(.bounded) struct PurgeRequestTests {
  private func purge(_ name: String, _ script: inout Script) -> [String] {
    let id = script.id(name)
    return script.ask(.purge(id))
  }

  @Test func `a sleeper is killed without a message`() {
    var script = Script()
    script.purgeable("phone")
    #expect(purge("phone", &script) == ["ok", "keep phone's lines", "kill phone, purged"])
    #expect(script.takeNotes().contains(.purged(held: nil, isAsked: false)))
    #expect(purge("phone", &script) == ["refused"])
    #expect(script.refusal == .gone)
  }

  @Test func `a program that is being frozen is let go, and asked to end`() {
    var script = Script()
    script.launched("phone") { $0.comesBack = true }
    script.sendToBackground("phone")
    #expect(purge("phone", &script) == ["ok", "keep phone's lines", "thaw phone", "phone: willTerminate"])
    #expect(script.pass(to: 5) == ["5 s: kill phone, purged"])
  }

  @Test(arguments: [false, true])
  func `of a command only the lines of a sleeper are kept, if they are to be`(keepsLines: Bool) {
    var script = Script.observed { ($0.comesBack, $0.keepsLines) = (true, keepsLines) }
    script.sleeps(.idle)
    let keeping = keepsLines ? ["keep server's lines"] : []
    #expect(purge("server", &script) == ["ok"] + keeping + ["kill server, purged"])
    script.register("busy") {
      ($0.speaks, $0.isFreezeExempt, $0.comesBack, $0.keepsLines) = (false, true, true, keepsLines)
    }
    #expect(purge("busy", &script) == ["ok", "SIGTERM to busy"])
  }

  @Test func `a program that would be lost is refused`() {
    var script = Script()
    script.asleep("phone")
    #expect(purge("phone", &script) == ["refused"])
    #expect(script.refusal == .cannotComeBack("phone"))
    #expect(!script.engine.mayBePurged(script.id("phone")))
  }

  @Test func `what is installed no longer would be lost, also as the command that it was`() {
    var script = Script()
    script.register("phone") { ($0.speaks, $0.comesBack) = (false, true) }
    script.ask(.adopt(script.id("phone"), Registration(name: "phone")))
    #expect(script.engine.mayBePurged(script.id("phone")))
    script.ask(.uninstall("phone"))
    #expect(!script.engine.mayBePurged(script.id("phone")))
    script.feed(.leave(script.id("phone")))
    #expect(!script.engine.mayBePurged(script.id("phone")))
  }

  @Test func `an unmanaged client is refused`() {
    var script = Script()
    script.register("aplay") { ($0.speaks, $0.isUnmanaged, $0.isPurgeable) = (false, true, true) }
    #expect(purge("aplay", &script) == ["refused"])
    #expect(script.refusal == .isUnmanaged)
  }
}
