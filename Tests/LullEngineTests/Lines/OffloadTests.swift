import LullEngine
import TestSupport
import Testing

@Suite(.bounded) struct OffloadTests {
  /// A program that was woken once and is asleep again by its own `done`, at 10 s.
  private func atBoundary() -> Script {
    var script = Script()
    script.asleep("phone", offload: .line)
    script.pass(to: 10)
    script.ready("phone")
    script.done("phone")
    script.frozen("phone")
    return script
  }

  @Test func `a ping is answered for a program that said done`() throws {
    var script = atBoundary()
    #expect(script.ready("phone", .ping) == ["answer ping on phone's line 1"])
    #expect(try script.view("phone").lines.first?.answered == 0)
    script.answered("phone")
    #expect(script.state("phone") == .suspended)
    #expect(try script.view("phone").lines.first?.answered == 1)
    #expect(try script.view("phone").wakes == 1)
  }

  @Test func `a program that was frozen at the end of its run time is not at a message boundary`() {
    var script = Script()
    script.asleep("phone", offload: .line)
    script.ready("phone")
    script.pass(to: 10)
    script.frozen("phone")
    #expect(script.ready("phone", .ping) == ["thaw phone", "phone: woke, data on line 1"])
  }

  @Test func `a program that never said done is not at a message boundary`() {
    var script = Script()
    script.asleep("phone", offload: .line)
    #expect(script.ready("phone", .ping).first == "thaw phone")
  }

  @Test func `every 600 s one ping reaches the program`() {
    var script = atBoundary()
    for at in stride(from: 30.0, to: 610, by: 20) {
      script.pass(to: at)
      #expect(script.ready("phone", .ping) == ["answer ping on phone's line 1"])
    }
    script.pass(to: 610)
    #expect(script.ready("phone", .ping) == ["thaw phone", "phone: woke, data on line 1"])
    script.done("phone")
    script.frozen("phone")
    script.pass(to: 1209)
    #expect(script.ready("phone", .ping) == ["answer ping on phone's line 1"])
    script.pass(to: 1210)
    #expect(script.ready("phone", .ping).first == "thaw phone")
  }

  @Test func `a wake on another line does not count for this one`() {
    var script = Script()
    script.launched("phone")
    script.hold("phone", offload: .line)
    script.hold("phone")
    script.sendToBackground("phone")
    script.frozen("phone")
    script.pass(to: 599)
    script.ready("phone", line: 2)
    script.done("phone")
    script.frozen("phone")
    #expect(script.ready("phone", line: 1, .ping) == ["answer ping on phone's line 1"])
    script.pass(to: 600)
    #expect(script.ready("phone", line: 1, .ping).first == "thaw phone")
  }

  @Test func `a keep-alive run ends the state at a message boundary until the next done`() {
    var script = atBoundary()
    script.keepAlive("phone", 600, lastRun: 10)
    script.frozen("phone")
    script.pass(to: 610)
    script.pass(to: 620)
    script.frozen("phone")
    #expect(script.ready("phone", .ping).first == "thaw phone")
  }

  @Test func `a done in the foreground is not at a message boundary for what the program reads after it`() {
    var script = Script()
    script.launched("phone")
    script.hold("phone", offload: .line)
    script.done("phone")
    script.sendToBackground("phone")
    script.frozen("phone")
    #expect(script.ready("phone", .ping).first == "thaw phone")
  }

  @Test func `a ping that arrives during the freeze wakes`() {
    var script = Script()
    script.asleep("phone", offload: .line)
    script.ready("phone")
    script.done("phone")
    #expect(script.ready("phone", .ping) == ["thaw phone", "phone: woke, data on line 1"])
  }

  @Test func `one that could not be answered wakes, and is not counted`() throws {
    var script = atBoundary()
    script.ready("phone", .ping)
    #expect(script.ready("phone", .data) == ["thaw phone", "phone: woke, data on line 1"])
    #expect(try script.view("phone").lines.first?.answered == 0)
  }

  @Test func `a peer that floods wakes the program, and the log names one ping`() throws {
    var script = atBoundary()
    _ = script.takeNotes()
    for _ in 0..<30 {
      #expect(script.ready("phone", .ping) == ["answer ping on phone's line 1"])
      script.answered("phone")
    }
    #expect(script.takeNotes() == [.pingAnswered(LineID(1))])
    #expect(script.ready("phone", .ping) == ["thaw phone", "phone: woke, data on line 1"])
    script.done("phone")
    script.frozen("phone")
    #expect(script.ready("phone", .ping).first == "thaw phone")
    script.done("phone")
    script.frozen("phone")
    script.pass(to: 70)
    #expect(script.ready("phone", .ping) == ["answer ping on phone's line 1"])
  }
}
