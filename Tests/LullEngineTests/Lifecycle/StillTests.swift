import LullEngine
import TestSupport
import Testing

/// Run-time limits count time in which the program could run, and no limit is announced and enforced at once.
@Suite(.bounded) struct StillTests {
  /// The machine sleeps up to and with `seconds`.
  private func suspend(_ script: inout Script, to seconds: Double) -> [String] {
    let time = Moment(seconds) - script.now
    script.jump(to: seconds)
    return script.feed(.stoodStill(time)) + script.feed(.tick)
  }

  @Test func `nor from those who are warned of short memory`() {
    var script = Script()
    script.purgeable("mail")
    script.pressure(.warning)
    #expect(suspend(&script, to: 60) == [])
    #expect(script.pressure(.warning, at: 62.9) == [])
    #expect(script.pressure(.warning, at: 63) == ["measure mail"])
  }

  @Test func `what a late shell hears before the tick is not too late`() {
    var script = Script()
    script.register("phone")
    script.register("other")
    script.jump(to: 20)
    #expect(script.feed(.did(script.id("phone"), script.messageTicket("phone"))).isEmpty == false)
    #expect(script.state("phone") == .inactive)
    #expect(script.feed(.did(script.id("other"), script.messageTicket("other"))).isEmpty == false)
    #expect(script.state("other") == .inactive)
  }

  @Test(arguments: [Int64.min, -1, 0])
  func `no time at all changes nothing`(nanoseconds: Int64) {
    var script = Script()
    script.register("phone")
    script.feed(.stoodStill(Interval(nanoseconds: nanoseconds)))
    #expect(script.pass(to: 5) == ["5 s: kill phone, launch-limit"])
  }
}
