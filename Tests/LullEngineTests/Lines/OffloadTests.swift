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
