import LullEngine
import TestSupport
import Testing

/// docs/MEMORY.md.
@Suite(.bounded) struct PressureTests {
  @Test func `programs that run are warned first, and once`() {
    var script = Script()
    script.launched("phone")
    script.register("nc") { ($0.speaks, $0.settings.memorySignal) = (false, 10) }
    script.purgeable("mail")
    #expect(script.pressure(.warning) == ["warn nc", "phone: changed, memory"])
    for seconds in [1, 2, 2.9] { #expect(script.pressure(.warning, at: seconds) == []) }
  }

  @Test func `what is critical warns the library again, and a command not`() {
    var script = Script()
    script.launched("phone")
    script.register("nc") { ($0.speaks, $0.settings.memorySignal) = (false, 10) }
    script.pressure(.warning)
    #expect(script.pressure(.critical) == ["phone: changed, memory", "rest critical 30 s"])
  }

  @Test func `a sleeping command is not warned`() {
    var script = Script.observed { $0.settings.memorySignal = 10 }
    script.sleeps(.idle)
    #expect(script.pressure(.warning) == [])
  }

  @Test func `the largest sleeper is purged, without a message, once the pressure stays`() {
    var script = Script()
    script.purgeable("mail", "phone", "music")
    script.pressure(.warning)
    #expect(script.pressure(.warning, at: 3) == ["measure mail phone music"])
    let sizes: [String: Int64] = ["mail": 5, "phone": 9, "music": 7]
    #expect(script.sizes(sizes) == ["keep phone's lines", "kill phone, purged"])
  }

  @Test func `the pressure is over after a time without a report`() {
    var script = Script()
    script.launched("phone")
    script.pressure(.warning)
    script.pressure(.warning, at: 2)
    script.pass(to: 11.9)
    #expect(!script.takeNotes().contains(.pressureRelieved))
    script.pass(to: 12)
    #expect(script.takeNotes() == [.pressureRelieved])
    #expect(script.pressure(.warning) == ["phone: changed, memory"])
  }

  @Test func `a program that cannot come back is never purged, and that is said once`() {
    var script = Script()
    script.asleep("phone")
    script.pressure(.critical)
    #expect(script.takeNotes().contains(.pressureStays(.critical)))
    #expect(script.pressure(.critical, at: 29) == [])
    #expect(script.pressure(.critical, at: 31) == ["rest critical 60 s"])
    #expect(!script.takeNotes().contains(.pressureStays(.critical)))
    #expect(script.state("phone") == .suspended)
  }

  @Test func `what runs is left alone until it is critical`() {
    var script = Script()
    script.busyCommand("busy")
    script.pressure(.warning)
    #expect(script.pressure(.warning, at: 3) == ["rest warning 30 s"])
    #expect(script.pressure(.critical, at: 4) == ["measure busy"])
    #expect(script.sizes(["busy": 1]) == ["keep busy's lines", "SIGTERM to busy"])
    #expect(script.pass(to: 9) == ["9 s: kill busy, purged"])
  }

  @Test func `what is heard goes after the silent of its class`() {
    var script = Script()
    script.register("music", .audio) {
      ($0.speaks, $0.isFreezeExempt, $0.settings.isPurgeable, $0.launch) = (false, true, true, .background)
    }
    script.open("music")
    script.hear("music", 1, .began)
    script.sounds("music")
    script.busyCommand("busy")
    #expect(script.pressure(.critical) == ["measure busy"])
    script.feed(.sizes(script.measurement, []))
    script.feed(.exited(script.id("busy"), .exited(0)))
    #expect(script.pressure(.critical, at: 3).last == "measure music")
  }

  @Test func `a program on the library that runs is told before it is killed`() {
    var script = Script()
    script.launched("phone") { $0.settings.isPurgeable = true }
    script.pressure(.critical)
    #expect(script.sizes(["phone": 1]) == ["keep phone's lines", "phone: willTerminate"])
    #expect(script.did("phone") == ["kill phone, purged"])
  }

  @Test func `a program whose call rings is left alone`() {
    var script = Script()
    script.asleep("phone") { $0.settings.isPurgeable = true }
    script.command("phone", .wake)
    let id = script.id("phone")
    script.ask(.present(id, LocalNotification(body: "call", isCall: true)))
    script.done("phone")
    script.frozen("phone")
    #expect(script.pressure(.critical) == ["rest critical 30 s"])
    #expect(script.ask(.purge(id)) == ["refused"])
    #expect(script.refusal == .callRings("phone"))
  }

  @Test func `sizes that do not come are not waited for`() {
    var script = Script()
    script.purgeable("mail")
    script.pressure(.critical)
    #expect(script.pass(to: 1) == ["1 s: keep mail's lines", "1 s: kill mail, purged"])
    #expect(script.sizes(["mail": 1]) == [])
  }

  @Test func `a sleeper that woke meanwhile is spared`() {
    var script = Script()
    script.purgeable("mail", "phone")
    script.pressure(.critical)
    script.command("phone", .wake)
    #expect(script.sizes(["mail": 1, "phone": 2]) == ["keep mail's lines", "kill mail, purged"])
  }
}

@Suite(.bounded) struct ScoreRiseTests {
  @Test func `each value rises by the same`() {
    let rise = ScoreRise(of: [0, 0, 100, -500], by: 600)
    #expect([0, 100, -500].map(rise.raised) == [600, 700, 100 - 1])
    #expect([600, 700, 99].map(rise.previous) == [0, 100, -500])
  }

  @Test func `the greatest value is not passed, and two values stay two`() {
    let rise = ScoreRise(of: [300, 500, 1000], by: 800)
    #expect([300, 500, 1000].map(rise.raised) == [999, 998, nil])
  }

  @Test func `what is never to be killed is left alone`() {
    #expect(ScoreRise(of: [-1000], by: 800).steps.isEmpty)
  }

  @Test(arguments: [[0, 600], [0, 600, 1000], [999, 1000], [998, 999, 1000], [-1000, 0, 800]])
  func `every rise can be undone`(values: [Int]) {
    for by in [600, 800] {
      let rise = ScoreRise(of: values, by: by)
      for value in values {
        let now = rise.raised(value) ?? value
        #expect(now >= value && now <= 1000)
        #expect((rise.previous(now) ?? now) == value)
      }
    }
  }
}
