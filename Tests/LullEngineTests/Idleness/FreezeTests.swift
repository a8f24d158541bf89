import LullEngine
import TestSupport
import Testing

@Suite(.bounded) struct FreezeTests {
  @Test func `a refused freeze is taken back and tried again, later each time`() {
    var script = Script()
    script.launched("phone")
    script.sendToBackground("phone")
    var at = 0.0
    for wait in (0..<15).map({ 0.002 * Double(1 << $0) }) + [60, 60] {
      #expect(script.refuse("phone") == ["thaw phone"])
      at += wait
      #expect(script.pass(to: at) == ["\(Moment(at).text) s: freeze phone"])
    }
  }

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

  @Test func `a program gets 0.2 ms from its done to its wait`() {
    var script = Script(policy: Policy())
    script.asleep("phone")
    script.ready("phone")
    #expect(script.done("phone") == [])
    #expect(script.pass(to: 1) == ["0.0002 s: freeze phone"])
    script.frozen("phone")
    script.ready("phone")
    #expect(script.done("phone") == [])
    // A task that begins meanwhile counts.
    #expect(script.beginTask("phone").first == "ok, task 1, 600 s")
    #expect(script.pass(to: 500) == [])
    #expect(script.endTask("phone", 1).contains("freeze phone"))
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

  @Test func `a freeze that nothing was said for is not put off`() {
    var script = Script(policy: Policy())
    script.asleep("phone")
    script.ready("phone")
    #expect(script.pass(to: 11) == ["10 s: freeze phone"])
    script.frozen("phone")
    script.ready("phone")
    #expect(script.command("phone", .suspend).contains("freeze phone"))
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

  @Test func `the answer of a freeze that was taken back is stale`() {
    var script = Script()
    script.launched("phone")
    script.sendToBackground("phone")
    let old = script.freezeTicket("phone")
    script.pass(to: 2)
    #expect(script.feed(.frozen(script.id("phone"), old)) == [])
    #expect(script.state("phone") == .background)
    script.pass(to: 2.1)
    #expect(script.feed(.freezeRefused(script.id("phone"), old, .failed)) == [])
    #expect(script.frozen("phone") == [])
    #expect(script.state("phone") == .suspended)
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

  @Test func `bytes that the program leaves there and is done put the next freeze off, longer each time`() {
    var script = Script()
    script.launched("phone")
    script.hold("phone")
    script.sendToBackground("phone")
    var (wait, at) = (0.002, 0.0)
    for _ in 1...20 {
      script.ready("phone")
      script.done("phone")
      #expect(script.pass(to: at + wait - 0.000_001) == [])
      at += wait
      #expect(script.pass(to: at) == ["\(Moment(at).text) s: freeze phone"])
      wait = min(wait * 2, 60)
    }
    script.frozen("phone")
    script.ready("phone")
    #expect(script.done("phone") == ["freeze phone"])
  }

  @Test func `a request that overtook the freeze takes it back and is answered`() {
    var script = Script()
    script.launched("phone")
    script.sendToBackground("phone")
    #expect(script.beginTask("phone") == ["ok, task 1, 600 s", "thaw phone"])
    #expect(script.pass(to: 500) == [])
  }

  @Test func `no freeze while a task, a wake or a message holds the program`() {
    var script = Script()
    script.launched("phone")
    script.beginTask("phone")
    script.command("phone", .background)
    script.did("phone")
    #expect(script.did("phone") == [])
    script.command("phone", .wake)
    #expect(script.endTask("phone", 1) == ["ok"])
    #expect(script.done("phone") == ["freeze phone"])
  }

  @Test func `a wake during the wait after a refusal starts over with a freeze at its end`() {
    var script = Script()
    script.launched("phone")
    script.sendToBackground("phone")
    script.refuse("phone")
    #expect(script.command("phone", .wake) == ["ok", "phone: woke, operator"])
    #expect(script.pass(to: 5) == [])
    #expect(script.done("phone") == ["freeze phone"])
  }

  @Test func `a suspend does not wait for the end of the back-off`() {
    var script = Script()
    script.launched("phone")
    script.sendToBackground("phone")
    script.refuse("phone")
    #expect(script.command("phone", .suspend) == ["ok", "freeze phone"])
  }
}
