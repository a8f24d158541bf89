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
    script.launched("phone")
    script.installs("phone")
    script.sendToBackground("phone")
    #expect(purge("phone", &script) == ["ok", "keep phone's lines", "thaw phone", "phone: willTerminate"])
    #expect(script.pass(to: 5) == ["5 s: kill phone, purged"])
  }

  @Test func `the shell keeps what it can of a command's lines, whether it sleeps or runs`() {
    var script = Script.observed { $0.settings.isPurgeable = true }
    script.sleeps(.idle)
    #expect(purge("server", &script) == ["ok", "keep server's lines", "kill server, purged"])
    script.busyCommand("busy")
    #expect(purge("busy", &script) == ["ok", "keep busy's lines", "SIGTERM to busy"])
  }

  @Test func `an installed program comes back while its file can be used`() {
    var script = Script()
    script.asleep("phone")
    let id = script.id("phone")
    #expect(!script.engine.mayBePurged(id))
    script.installs("phone")
    #expect(script.engine.mayBePurged(id))
    script.ask(.launchable("phone", false))
    #expect(!script.engine.mayBePurged(id))
    #expect(script.pressure(.critical) == ["rest critical 30 s"])
    #expect(purge("phone", &script) == ["refused"])
    #expect(script.refusal == .cannotComeBack("phone"))
    script.ask(.launchable("phone", true))
    #expect(purge("phone", &script).last == "kill phone, purged")
  }

  @Test(arguments: [false, true])
  func `an installed command comes back if it takes its lines`(keepsLines: Bool) {
    var script = Script.observed { $0.settings.keepsLines = keepsLines }
    script.installs("server")
    #expect(script.engine.mayBePurged(script.id("server")) == keepsLines)
  }

  @Test func `what its owner allows needs no file`() {
    var script = Script()
    script.asleep("phone") { $0.settings.isPurgeable = true }
    script.installs("phone")
    script.ask(.launchable("phone", false))
    #expect(script.engine.mayBePurged(script.id("phone")))
  }

  @Test func `what is installed no longer would be lost, also as the command that it was`() {
    var script = Script()
    script.register("phone") { ($0.speaks, $0.settings.keepsLines) = (false, true) }
    script.installs("phone")
    script.ask(.adopt(script.id("phone"), Registration(name: "phone")))
    #expect(script.engine.mayBePurged(script.id("phone")))
    script.ask(.uninstall("phone"))
    #expect(!script.engine.mayBePurged(script.id("phone")))
    script.feed(.leave(script.id("phone")))
    #expect(!script.engine.mayBePurged(script.id("phone")))
  }
}
