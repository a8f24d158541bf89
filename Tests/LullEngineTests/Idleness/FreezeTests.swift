import LullEngine
import TestSupport
import Testing

@Suite(.bounded) struct FreezeTests {
  @Test func `success makes the wait short again`() throws {
    var script = Script()
    script.asleep("phone")
    script.ready("phone")
    script.done("phone")
    for at in [0.002, 0.006, 0.014] {
      script.refuse("phone")
      #expect(script.pass(to: at).count == 1)
    }
    #expect(try script.view("phone").lastRefusal == .notIdle)
    script.frozen("phone")
    #expect(try script.view("phone").lastRefusal == nil)
    script.ready("phone")
    script.done("phone")
    script.refuse("phone")
    #expect(script.pass(to: 0.016) == ["0.016 s: freeze phone"])
  }

  @Test func `a done that is taken back takes the freeze back, for 10 s or until the next done`() throws {
    var script = Script()
    script.asleep("phone")
    script.ready("phone")
    #expect(script.done("phone").contains("freeze phone"))
    #expect(script.handling("phone") == ["thaw phone"])
    #expect(try script.leases("phone") == [.wake])
    #expect(script.pass(to: 9.9) == [])
    #expect(script.pass(to: 10).contains("10 s: freeze phone"))
    #expect(script.handling("phone").first == "thaw phone")
    #expect(script.done("phone").contains("freeze phone"))
  }

  @Test func `a freeze without an answer is taken back after 2 s`() throws {
    var script = Script()
    script.launched("phone")
    script.sendToBackground("phone")
    #expect(script.pass(to: 1.9) == [])
    #expect(script.pass(to: 2) == ["2 s: thaw phone"])
    #expect(try script.view("phone").lastRefusal == .timeout)
    #expect(script.pass(to: 2.002) == ["2.002 s: freeze phone"])
  }

  @Test func `data during the freeze takes it back and wakes the program`() {
    var script = Script()
    script.launched("phone")
    script.hold("phone")
    script.sendToBackground("phone")
    _ = script.takeNotes()
    #expect(script.ready("phone") == ["thaw phone", "phone: woke, data on line 1"])
    #expect(script.takeNotes() == [.freezeTakenBack(.data)])
    #expect(script.frozen("phone") == [])
    #expect(script.state("phone") == .background)
  }
}
