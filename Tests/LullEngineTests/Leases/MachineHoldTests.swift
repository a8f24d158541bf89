import LullEngine
import TestSupport
import Testing

/// The machine stays up while a wake, a keep-alive or a call is handled.
@Suite(.bounded) struct MachineHoldTests {
  @Test func `a wake holds the machine until done`() {
    var script = Script()
    script.asleep("phone")
    #expect(!script.engine.holdsMachine)
    script.ready("phone")
    #expect(script.engine.holdsMachine)
    script.done("phone")
    #expect(!script.engine.holdsMachine)
  }

  @Test func `a keep-alive holds the machine until it has run`() {
    var script = Script()
    script.launched("phone")
    script.keepAlive("phone", 600)
    script.sendToBackground("phone")
    script.frozen("phone")
    #expect(!script.engine.holdsMachine)
    script.pass(to: 600)
    #expect(script.engine.holdsMachine)
    script.done("phone")
    #expect(!script.engine.holdsMachine)
  }

  @Test func `a task of the wake holds the machine beyond done, in the background alone`() {
    var script = Script()
    script.asleep("phone")
    script.ready("phone")
    script.beginTask("phone")
    script.done("phone")
    #expect(script.engine.holdsMachine)
    script.endTask("phone", 1)
    #expect(!script.engine.holdsMachine)
    script.command("phone", .foreground)
    script.did("phone")
    script.did("phone")
    script.beginTask("phone")
    #expect(!script.engine.holdsMachine)
  }

  @Test func `a program that ends in the middle lets the machine go`() {
    var script = Script()
    script.asleep("phone")
    script.ready("phone")
    script.feed(.exited(script.id("phone"), .signaled(9)))
    #expect(!script.engine.holdsMachine)
  }
}
